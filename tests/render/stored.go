package render

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"

	"helm.sh/helm/v3/pkg/release"
)

// Stored returns a release as Helm's storage driver writes it into a Secret, before the API's own encoding: compressed JSON in base64.
func Stored(of *release.Release) ([]byte, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	var compressed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = writer.Write(text)
	err = errors.Join(err, writer.Close())
	return base64.StdEncoding.AppendEncode(nil, compressed.Bytes()), err
}
