package ocilayer

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"runtime"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/stream"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Epoch is the time of every entry of every layer and of every image.
var Epoch = time.Unix(0, 0).UTC()

// FixHeader removes the fields of a tar header that differ between machines or runs: times and the names of owners.
func FixHeader(header *tar.Header) {
	header.ModTime = Epoch
	header.AccessTime, header.ChangeTime = time.Time{}, time.Time{}
	header.Uname, header.Gname = "", ""
}

// FromTar returns a layer with the uncompressed tar stream that write produces. The layer can be read once, by the code that stores it; its digest is
// known after that. Compression is optimized for speed, since the layers are only used on this machine.
func FromTar(write func(io.Writer) error) v1.Layer {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(write(writer)) }()
	return stream.NewLayer(reader, stream.WithCompressionLevel(gzip.BestSpeed))
}

// FromEntries is FromTar for a list of entries.
func FromEntries(entries []Entry) v1.Layer {
	return FromTar(func(w io.Writer) error { return WriteTar(w, entries) })
}

// Lasting returns a layer of entries that can be read repeatedly, as Docker archives need it. The host files of the entries must not change.
func Lasting(entries []Entry) (v1.Layer, error) {
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		reader, writer := io.Pipe()
		go func() { writer.CloseWithError(WriteTar(writer, entries)) }()
		return reader, nil
	})
}

// Image returns an image of the layers for Linux on this machine's architecture.
func Image(config v1.Config, layers ...v1.Layer) (v1.Image, error) {
	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		Architecture: runtime.GOARCH,
		OS:           "linux",
		Created:      v1.Time{Time: Epoch},
		Config:       config,
		RootFS:       v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{}},
	})
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(image, layers...)
}
