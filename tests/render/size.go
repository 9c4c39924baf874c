package render

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"

	"helm.sh/helm/v3/pkg/release"
)

// StoredSize returns the bytes that a release takes in a Secret: compressed JSON in base64, as Helm's storage driver writes it.
func StoredSize(stored *release.Release) (int, error) {
	text, err := json.Marshal(stored)
	if err != nil {
		return 0, err
	}
	var compressed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	_, err = writer.Write(text)
	err = errors.Join(err, writer.Close())
	return base64.StdEncoding.EncodedLen(compressed.Len()), err
}
