package nodeimage

import (
	"errors"
	"os"

	"gitops-runtime/localcluster/internal/archive"
)

// writeLayer writes a layer with the files that fill adds.
func writeLayer(out string, fill func(*archive.Layer)) error {
	layer, err := archive.Create(out)
	if err != nil {
		return err
	}
	fill(layer)
	return layer.Close()
}

// writeArchive writes an archive of images to a temporary file and renames it to out when it is complete.
func writeArchive(out string, images ...archive.Image) error {
	unfinished, err := os.Create(out + ".unfinished")
	if err != nil {
		return err
	}
	err = errors.Join(archive.Write(unfinished, images...), unfinished.Close())
	if err != nil {
		return errors.Join(err, os.Remove(unfinished.Name()))
	}
	return os.Rename(unfinished.Name(), out)
}
