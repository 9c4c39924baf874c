package address

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// inside matches what follows the module path in import paths: the folders of the root with Go packages. A path in the chart gitops-runtime begins with
// the same name, and can continue with charts/<chart>.
const inside = `(/(?:hack|imageoverride|internal|schema|tests|validator)["/]|/charts")`

// Set writes an address to a checkout, and replaces the previous one: the module path in every go.mod, import and page, and the registry and repository
// that pages show. It returns the files that changed, by their paths below root. Values, Chart.yaml files and pages that are generated follow with
// `make generate`.
func Set(ctx context.Context, root string, next Address) ([]string, error) {
	if err := next.Check(); err != nil {
		return nil, err
	}
	before, err := Read(root)
	if err != nil {
		return nil, err
	}
	list, err := exec.CommandContext(ctx, "git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of %s, which has to be a clone: %w", root, err)
	}
	var changed []string
	write := func(name string, change func([]byte) ([]byte, error)) error {
		file := filepath.Join(root, filepath.FromSlash(name))
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			return nil // deleted, not committed yet
		}
		if err != nil {
			return err
		}
		moved, err := change(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if bytes.Equal(moved, text) {
			return nil
		}
		changed = append(changed, name)
		return os.WriteFile(file, moved, 0o644)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if name == File {
			continue
		}
		if err := write(name, func(text []byte) ([]byte, error) { return moved(name, text, before, next) }); err != nil {
			return nil, fmt.Errorf("set the address: %w", err)
		}
	}
	if err := write(File, func([]byte) ([]byte, error) { return next.text() }); err != nil {
		return nil, fmt.Errorf("set the address: %w", err)
	}
	return changed, nil
}

// moved returns a file with the next address in place of the previous one.
func moved(name string, text []byte, before, next Address) ([]byte, error) {
	switch extension := path.Ext(name); {
	case path.Base(name) == "go.mod":
		return replace(text, `(^|\s)`, before.Module, `(/|\s)`, next.Module), nil
	case extension == ".go":
		named := replace(text, "([\"\\s`(])", before.Module, inside, next.Module)
		if bytes.Equal(named, text) {
			return text, nil
		}
		return format.Source(named)
	case extension == ".md" || extension == ".gotmpl" || extension == ".yaml" || extension == ".tf":
		text = replace(text, `(^|[^\w.-])`, before.ShownRegistry(), `([^\w-]|$)`, next.ShownRegistry())
		return replace(text, `(^|[^\w.-])`, before.ShownRepository(), `([^\w-]|$)`, next.ShownRepository()), nil
	}
	return text, nil
}

// replace replaces a text between two patterns, each with one group.
func replace(text []byte, left, old, right, fresh string) []byte {
	if old == fresh || !bytes.Contains(text, []byte(old)) {
		return text
	}
	pattern := regexp.MustCompile(`(?m)` + left + regexp.QuoteMeta(old) + right)
	return pattern.ReplaceAll(text, []byte("${1}"+strings.ReplaceAll(fresh, "$", "$$")+"${2}"))
}
