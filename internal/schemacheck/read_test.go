package schemacheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gitops-runtime/internal/mutate"
)

// standard reads as encoding/json does.
func standard(text []byte) (any, bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil, false
	}
	_, err := decoder.Token()
	return value, errors.Is(err, io.EOF)
}

func TestReadIsTheStandardLibrarys(t *testing.T) {
	texts := []string{
		`{"a": [1, -2.5e+3, true, false, null, "x"], "b": {}, "c": []}`, `"tab\t \u00e9 \ud83d\ude00 é"`, ` [ ] `, `{"a": 1, "a": {"b": 2}}`,
		`"\ud800"`, "\"\xff\"", "\"\n\"", `{"a"}`, `{"a":}`, `{,}`, `[1,]`, `[1 2]`, `tru`, `nul`, `01`, `1.`, `.5`, `-`, `+1`, `1e`, `"open`, `"open\"`,
		`{"a": 1}}`, ``, ` `, `{} {}`, `[[[[1]]]]`, `"a" "b"`, `{"é": "é"}`, `{1: 2}`, "\ufeff{}", `nullx`,
	}
	files, err := filepath.Glob("../../charts/*/values.schema.json")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, text := range append(texts, mutate.Texts(texts[:len(texts)-len(files)], 3000)...) {
		want, wantOK := standard([]byte(text))
		got, gotOK := read([]byte(text))
		if gotOK != wantOK || gotOK && !reflect.DeepEqual(got, want) {
			t.Errorf("%.80q: got %v %v, want %v %v", text, got, gotOK, want, wantOK)
		}
	}
}

// What is nested too deep is left to encoding/json, which has its own bound.
func TestReadLeavesTheDeep(t *testing.T) {
	if _, ok := read([]byte(strings.Repeat("[", 400) + strings.Repeat("]", 400))); ok {
		t.Error("400 lists in one another were read")
	}
}

func BenchmarkRead(b *testing.B) {
	text, err := os.ReadFile("../../charts/argo-cd/values.schema.json")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			read(text)
		}
	})
	b.Run("standard", func(b *testing.B) {
		for b.Loop() {
			standard(text)
		}
	})
}
