package helmvalues

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/cleantext"
)

// fetchTime limits the download of a values file.
const fetchTime = 10 * time.Second

// maxValues is the maximum size of a values file in bytes; Helm's release has to fit into 1 MiB.
const maxValues = 16 << 20

// FileError is the error of a values file that cannot be used.
type FileError struct {
	File string
	// Line is the line of the error, 0 if it is not known.
	Line int
	// Flaw describes the error; it never quotes a value.
	Flaw string
}

// Error returns the name of the file and the flaw.
func (e *FileError) Error() string { return "values file " + e.File + ": " + e.Flaw }

func flawed(file, format string, args ...any) error {
	return &FileError{File: shown(file), Flaw: fmt.Sprintf(format, args...)}
}

// shown returns the name of a values file for reports: a URL without the password and the token in it.
func shown(file string) string {
	if strings.Contains(file, "://") {
		return cleantext.URL(file)
	}
	return file
}

// countNodes rejects a text with far more keys and values than an install needs.
func countNodes(left *budget.Budget, file string, text []byte) error {
	var over *budget.Error
	if err := left.YAML(file, text); errors.As(err, &over) {
		return flawed(file, "%s", over.Flaw)
	}
	return nil
}

// maxPaths limits the paths of all values of a file or flag together, in bytes: each value is stored under its path, so a long key counts for everything
// in it.
const maxPaths = 16 << 20

// longPaths reports whether the paths of all values in a tree together exceed maxPaths.
func longPaths(tree any) bool { return pathBytes(tree, 0, 0) > maxPaths }

func pathBytes(value any, path, total int) int {
	if total > maxPaths {
		return total
	}
	switch at := value.(type) {
	case map[string]any:
		for key, inner := range at {
			below := path + len(key) + 1
			total = pathBytes(inner, below, total+below)
		}
	case []any:
		for _, inner := range at {
			below := path + len("[0000]")
			total = pathBytes(inner, below, total+below)
		}
	}
	return total
}

// read reads the text of one -f argument. A terminal or a pipe may never end, so the read stops when the context ends.
func (o Options) read(ctx context.Context, name string) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := o.fetchText(ctx, name)
		done <- result{text, err}
	}()
	select {
	case got := <-done:
		return got.text, got.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, flawed(name, "it does not end in time; a pipe ends when the program that writes to it closes it")
		}
		return nil, fmt.Errorf("values file %s: the wait for it was interrupted: %w", shown(name), ctx.Err())
	}
}

// Input reads standard input, which "-" names, so that several loads can use it as Text.
func (o Options) Input(ctx context.Context) ([]byte, error) { return o.read(ctx, "-") }

func (o Options) fetchText(ctx context.Context, name string) ([]byte, error) {
	switch {
	case strings.TrimSpace(name) == "-" && o.Text != nil:
		return o.Text, nil
	case strings.TrimSpace(name) == "-" && o.In == nil:
		return nil, flawed("-", "there is no standard input")
	case strings.TrimSpace(name) == "-":
		return bounded("-", o.In)
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		return o.fetch(ctx, name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, unopened(name, err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, flawed(name, "it is a directory; name the file in it, such as %s/values.yaml", strings.TrimRight(name, "/"))
	}
	return bounded(name, file)
}

// unopened describes why a file cannot be opened.
func unopened(name string, err error) error {
	switch {
	case name == "":
		return flawed(`""`, "the name is empty (an unset variable, perhaps)")
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "*?["):
		return flawed(name, "no such file; to check every file of a pattern by itself, give the pattern without -f")
	case errors.Is(err, fs.ErrNotExist):
		return flawed(name, "no such file")
	case errors.Is(err, fs.ErrPermission):
		return flawed(name, "its permissions do not let you read it")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return flawed(name, "it cannot be opened: %v", err)
}

// bounded reads everything, up to maxValues bytes.
func bounded(name string, from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxValues+1))
	switch {
	case err != nil:
		return nil, flawed(name, "it cannot be read: %v", err)
	case len(text) > maxValues:
		return nil, flawed(name, "it is larger than %d MiB", maxValues>>20)
	}
	return text, nil
}

func (o Options) fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, flawed(address, "it is not a URL")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, flawed(address, "it cannot be fetched: %v", errors.Unwrap(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, flawed(address, "the server answers HTTP %d", response.StatusCode)
	}
	return bounded(address, response.Body)
}

// requireText returns an error if a file contains bytes that text does not contain: usually it is an archive, or a Secret that was not decoded.
// UTF-16, which the first bytes identify, is accepted.
func requireText(file string, text []byte) error {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil
	}
	for at := 0; at < len(text); {
		letter, size := utf8.DecodeRune(text[at:])
		broken := letter == utf8.RuneError && size == 1
		if broken || letter < ' ' && !strings.ContainsRune("\t\n\r", letter) {
			line := 1 + bytes.Count(text[:at], []byte("\n"))
			return &FileError{File: shown(file), Line: line, Flaw: fmt.Sprintf("it is not text: line %d holds the byte 0x%02x", line, text[at])}
		}
		at += size
	}
	return nil
}

var atLine = regexp.MustCompile(`^line ([0-9]+): `)

// unparsed converts an error of the YAML parser into a message. It omits values that a conversion error may quote.
func unparsed(file string, text []byte, err error) error {
	reason := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "error unmarshaling JSON: ", "yaml: "} {
		reason = strings.TrimPrefix(reason, prefix)
	}
	if strings.Contains(reason, "cannot unmarshal") && !strings.Contains(reason, "line ") {
		return &FileError{File: shown(file), Line: 1, Flaw: "its top level is not a map of values"}
	}
	if strings.Contains(reason, "unsupported value") {
		return flawed(file, "it contains a value that is not a number (.nan or .inf)")
	}
	if cut := strings.Index(reason, "`"); cut >= 0 {
		reason = strings.TrimSpace(reason[:cut]) + " (see that line)"
	}
	if line := findLine(reason, text); line > 0 {
		reason = fmt.Sprintf("line %d: %s", line, reason)
	}
	flaw := &FileError{File: shown(file), Flaw: "it is not YAML: " + reason}
	if found := atLine.FindStringSubmatch(reason); found != nil {
		flaw.Line, _ = strconv.Atoi(found[1])
	}
	if line := tabbed(text, flaw.Line); line > 0 {
		flaw.Line, flaw.Flaw = line, fmt.Sprintf("line %d is indented with a tab; YAML allows only spaces", line)
	}
	return flaw
}

var (
	ofAnchor = regexp.MustCompile(`^(?:unknown )?anchor '([^']+)'`)
	ofMerge  = regexp.MustCompile(`(?m)^[ -]*<<[ ]*:`)
)

// findLine returns the line of an error for which the parser reports none: the first line, or for an error that it finds only when it follows anchors
// and merge keys, the line of the anchor or merge key. It returns 0 if the parser reports a line, or none can be found.
func findLine(reason string, text []byte) int {
	upTo := func(end int) int { return 1 + bytes.Count(text[:max(end, 0)], []byte("\n")) }
	anchor := ofAnchor.FindStringSubmatch(reason)
	switch {
	case atLine.MatchString(reason), strings.Contains(reason, "(see that line)"):
		return 0
	case anchor != nil && strings.HasPrefix(reason, "unknown"):
		return upTo(bytes.Index(text, []byte("*"+anchor[1])))
	case anchor != nil:
		return upTo(bytes.Index(text, []byte("&"+anchor[1])))
	case strings.HasPrefix(reason, "map merge"):
		if spot := ofMerge.FindIndex(text); spot != nil {
			return upTo(spot[1])
		}
		return 0
	}
	return 1
}

// tabbed returns the line, at or next to the one that the parser reports, that has a tab in its indentation; 0 if there is none.
func tabbed(text []byte, near int) int {
	lines := bytes.Split(text, []byte("\n"))
	for _, line := range []int{near, near + 1, near - 1} {
		if near > 0 && line >= 1 && line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[line-1], " "), []byte("\t")) {
			return line
		}
	}
	return 0
}
