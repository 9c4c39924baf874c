package ocilayer

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/stream"
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
