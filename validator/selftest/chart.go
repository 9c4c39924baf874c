package selftest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
)

// chart is a Helm repository with one chart, which creates one ConfigMap.
type chart struct {
	name, version string
	// word is the content of the ConfigMap.
	word string
}

// file returns the file name of the packaged chart.
func (c chart) file() string { return c.name + "-" + c.version + ".tgz" }

// pack returns the packaged chart.
func (c chart) pack() ([]byte, error) {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, file := range []struct{ path, text string }{
		{"Chart.yaml", fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", c.name, c.version)},
		{"templates/configmap.yaml", fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  word: %q\n", c.name, c.word)},
	} {
		header := &tar.Header{Name: c.name + "/" + file.path, Mode: 0o644, Size: int64(len(file.text)), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("pack a chart: %w", err)
		}
		if _, err := archive.Write([]byte(file.text)); err != nil {
			return nil, fmt.Errorf("pack a chart: %w", err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack a chart: %w", err)
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("pack a chart: %w", err)
	}
	return packed.Bytes(), nil
}

// serve implements a Helm repository: index.yaml, which is JSON here, and the packaged chart, whose address is relative to it.
func (c chart) serve() (http.Handler, error) {
	packed, err := c.pack()
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(packed)
	index, err := json.Marshal(object{
		"apiVersion": "v1",
		"entries": object{c.name: []object{{
			"apiVersion": "v2", "name": c.name, "version": c.version, "urls": []string{c.file()}, "digest": hex.EncodeToString(digest[:]),
		}}},
	})
	if err != nil {
		return nil, fmt.Errorf("index of a chart: %w", err)
	}
	mux := http.NewServeMux()
	for path, content := range map[string][]byte{"GET /index.yaml": index, "GET /" + c.file(): packed} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	}
	return mux, nil
}
