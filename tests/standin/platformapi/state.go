package platformapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// keepIn loads the runtimes from the file at path, to which the store writes them after every change, so that a restarted platform still knows the
// tokens that it has issued.
func (s *store) keepIn(path string) error {
	document, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("reading the platform's state: %w", err)
	default:
		if err := json.Unmarshal(document, &s.runtimes); err != nil {
			return fmt.Errorf("reading the platform's state from %q: %w", path, err)
		}
	}
	s.saved = func(runtimes []Runtime) error {
		document, err := json.Marshal(runtimes)
		if err != nil {
			return fmt.Errorf("encoding the platform's state: %w", err)
		}
		if err := os.WriteFile(path+".new", document, 0o600); err != nil {
			return fmt.Errorf("writing the platform's state: %w", err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return fmt.Errorf("writing the platform's state: %w", err)
		}
		return nil
	}
	return nil
}
