#!/usr/bin/env bash
# Builds the pages of this repository as a site: build.sh [further flags of mkdocs]
# The pages and what they link to are copied at their paths, so that their relative links work on the site as they do in the repository.
set -euo pipefail

cd "$(dirname "$0")/../.."
command -v mkdocs >/dev/null || { echo "there is no mkdocs: apt-get install mkdocs" >&2; exit 1; }

rm -rf out/pages
git ls-files '*.md' ':!:*testdata*' ':!:.github' | while read -r page; do
	printf '%s\n' "$page"
	# Targets of links in the repository, without anchors; a folder stands for its README.
	{ grep -oE '\]\([^):# ]+' "$page" || true; } | cut -c 3- | while read -r target; do
		file=$(realpath -sm --relative-to=. "$(dirname "$page")/$target")
		[ ! -d "$file" ] || file=$file/README.md
		case $file in *.go) continue ;; esac # a second package of the module
		[ ! -f "$file" ] || printf '%s\n' "$file"
	done
done | sort -u | while read -r file; do
	install -D -m 0644 "$file" "out/pages/$file"
done
install -D -m 0644 hack/site/site.css out/pages/hack/site/site.css
# A link to a folder is one to its README; what the site does not have, such as folders that start with a dot, becomes text.
find out/pages -name '*.md' | while read -r page; do
	FOLDER=$(dirname "$page") perl -i -pe '
		s{\[([^\]]*)\]\(([^):#\s]+)(\#[^)]*)?\)}{
			my ($text, $target, $anchor, $all) = ($1, $2, $3 // "", $&);
			my $file = "$ENV{FOLDER}/$target";
			$target =~ m{(^|/)\.\w} ? $text : -f $file ? $all : -f "$file/README.md" ? "[$text]($target/README.md$anchor)" : $text;
		}gex' "$page"
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
mkdocs build --clean --config-file hack/site/mkdocs.yml "$@" 2>"$log" || { grep -v INFO "$log" >&2; exit 1; }
echo "out/site/index.html: $(find out/site -name '*.html' | wc -l) pages"
