package outfile

import (
	"errors"
	"fmt"
	"os"
)

// Place overwrites a file that cannot be replaced by renaming, such as the termination log of a container, which is a mount. It creates a missing file,
// and does not follow a link if the system supports NoFollow.
func Place(name string, data []byte, mode os.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|NoFollow, mode)
	if err != nil {
		return unwritten(name, err)
	}
	if _, err := file.Write(data); err != nil {
		return unwritten(name, errors.Join(reason(err), file.Close()))
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, reason(err))
	}
	return nil
}
