package budget_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/budget"
)

func small() *budget.Budget {
	return budget.New(budget.Limits{Bytes: 2 << 20, Nodes: 1000, Copies: 1 << 20, Nesting: 10, Depth: 3})
}

const tooManyNodes = "x: the files read for one run hold more than 1000 keys and values, aliases followed"

const tooManyCopies = "x: the aliases in the files read for one run stand for more than 1 MiB"

func TestYAML(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 8 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimRight(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for name, test := range map[string]struct{ text, err string }{
		"a typical text":          {text: "a: {b: [1, 2]}\nc:\n  - d: e\n"},
		"not YAML":                {text: "a: [\n"},
		"an anchor used twice":    {text: "a: &x {b: 1}\nc: *x\nd: *x\n"},
		"comments are cheap":      {text: strings.Repeat("# a: b, c: [d], e: {f}\n", 900)},
		"many keys":               {text: strings.Repeat("a: 1\n", 1000), err: tooManyNodes},
		"many items on a line":    {text: "a: [" + strings.Repeat("1,", 1000) + "]", err: tooManyNodes},
		"aliases of aliases":      {text: bomb, err: tooManyNodes},
		"one text used often":     {text: "a: &a " + strings.Repeat("x", 20_000) + "\nb: [" + strings.Repeat("*a, ", 60) + "]", err: tooManyCopies},
		"a key used often":        {text: "? &a " + strings.Repeat("x", 20_000) + "\n: 1\nb:\n" + strings.Repeat("- *a : 1\n", 60), err: tooManyCopies},
		"in a later document":     {text: "a: 1\n---\na: &a " + strings.Repeat("x", 20_000) + "\nb: [" + strings.Repeat("*a, ", 60) + "]", err: tooManyCopies},
		"a large text used once":  {text: "a: &a " + strings.Repeat("x", 900_000) + "\nb: *a\n"},
		"an anchor within itself": {text: "a: &a [*a]\n"},
		"deep flow style":         {text: "a: " + strings.Repeat("[", 11) + strings.Repeat("]", 11), err: "x: its maps and lists nest more than 10 levels deep"},
		"deep block style":        {text: "a:\n" + strings.Repeat("- ", 12) + "b", err: "x: its maps and lists nest more than 10 levels deep"},
		"wide, not deep":          {text: "a: |\n" + strings.Repeat(" ", 400) + "text\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := small().YAML("x", []byte(test.text))
			if test.err == "" {
				assert.NoError(t, err)
				return
			}
			var over *budget.Error
			require.ErrorAs(t, err, &over)
			assert.EqualError(t, err, test.err)
		})
	}
}

func TestYAMLOfManyFilesSharesOneBudget(t *testing.T) {
	t.Parallel()
	shared := small()
	for range 5 {
		require.NoError(t, shared.YAML("x", []byte(strings.Repeat("a\n", 150))))
	}
	assert.EqualError(t, shared.YAML("x", []byte(strings.Repeat("a\n", 300))), tooManyNodes)
}

func TestReadEndsWithTheBudget(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	pack := gzip.NewWriter(&zipped)
	_, err := pack.Write(make([]byte, 4<<20))
	require.NoError(t, err)
	require.NoError(t, pack.Close())
	unzipped, err := gzip.NewReader(&zipped)
	require.NoError(t, err)

	shared := small()
	_, err = shared.Read(t.Context(), "bomb.tgz", unzipped)
	assert.EqualError(t, err, "bomb.tgz: the files read for one run have more than 2 MiB when unpacked")
	_, err = shared.Read(t.Context(), "other", strings.NewReader("x"))
	assert.Error(t, err, "a used budget is used for all files")
}

func TestReadEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := small().Read(ctx, "x", strings.NewReader("y"))
	assert.EqualError(t, err, "x: reading was interrupted: context canceled")
}

func TestEnter(t *testing.T) {
	t.Parallel()
	top, err := small().Enter("a")
	require.NoError(t, err)
	below, err := top.Enter("b")
	require.NoError(t, err)
	_, err = below.Enter("a")
	assert.EqualError(t, err, "a: it contains itself through its dependencies")
	_, err = top.Enter("b")
	assert.NoError(t, err, "a sibling is not a cycle")
	third, err := below.Enter("c")
	require.NoError(t, err)
	_, err = third.Enter("d")
	assert.EqualError(t, err, "d: charts are nested more than 3 levels deep")
}

func TestGoroutinesShareABudget(t *testing.T) {
	t.Parallel()
	shared := small()
	var side sync.WaitGroup
	for range 16 {
		side.Go(func() {
			below, err := shared.Enter("x")
			assert.NoError(t, err)
			_, _ = below.Read(t.Context(), "x", io.LimitReader(strings.NewReader(strings.Repeat("x", 1<<18)), 1<<18))
		})
	}
	side.Wait()
	assert.Error(t, shared.Take("y", 1))
}

func FuzzYAML(f *testing.F) {
	f.Add("a: &x [1]\nb: [*x, *x]\n")
	f.Add("- - - a\n")
	f.Fuzz(func(_ *testing.T, text string) {
		_ = small().YAML("x", []byte(text)) // it returns and does not panic
	})
}
