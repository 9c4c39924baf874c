// Package mirror copies images between registries, all platforms of each, and checks such copies. A run that was killed can be resumed.
package mirror

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/outfile"
)

// entry is one line of the journal: a finished copy or, if Blob is set, a blob
// whose copy has finished or, with Begun, begun.
type entry struct {
	Source string `json:"source,omitempty"`
	Target string `json:"target"`
	Digest string `json:"digest,omitempty"`
	Blob   string `json:"blob,omitempty"`
	Begun  bool   `json:"begun,omitempty"`
}

// unrecorded is the error that stops a run: images whose copies are not recorded would be copied again.
func unrecorded(path string, err error) error {
	return &stopError{fmt.Sprintf("journal %s cannot be written: %s; free some space, or choose another location with --journal, and run the command again to continue", path, outfile.Cause(err)), err}
}

// Journal records finished copies in a file of JSON lines.
type Journal struct {
	mu   sync.Mutex
	file *os.File
	done map[string]entry  // by target
	home map[string]string // blob digest -> an image whose repository has it, or may have it
}

// OpenJournal reads the journal at path, which may not exist yet, and appends to it. An incomplete last line is ignored. If path is empty, it returns
// a journal that is not written.
func OpenJournal(path string) (*Journal, error) {
	journal := &Journal{done: map[string]entry{}, home: map[string]string{}}
	if path == "" {
		return journal, nil
	}
	kept, err := journal.read(path)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|outfile.NoFollow, 0o644)
	if err != nil {
		return nil, unrecorded(path, err)
	}
	if err := errors.Join(file.Truncate(kept), seekEnd(file)); err != nil {
		_ = file.Close()
		return nil, unrecorded(path, err)
	}
	journal.file = file
	return journal, nil
}

func seekEnd(file *os.File) error {
	_, err := file.Seek(0, 2)
	return err
}

// read reads the complete lines and returns their size in bytes.
func (j *Journal) read(path string) (int64, error) {
	data, err := outfile.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("journal %s cannot be read: %s", path, outfile.Reason(err))
	}
	defer func() { _ = data.Close() }()
	var kept int64
	reader := bufio.NewReader(data)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return kept, nil
		}
		var one entry
		if err := json.Unmarshal(line, &one); err != nil {
			return 0, fmt.Errorf("journal %s is damaged at byte %d: %w; remove the file to start over", path, kept, err)
		}
		if err := one.check(); err != nil {
			return 0, fmt.Errorf("journal %s is damaged at byte %d: %w; remove the file to start over", path, kept, err)
		}
		kept += int64(len(line))
		j.remember(one)
	}
}

// check validates an entry of a journal.
func (e entry) check() error {
	if _, err := mapping.Parse(e.Target); err != nil {
		return err
	}
	if e.Blob != "" {
		return checkDigest(e.Blob)
	}
	if _, err := mapping.Parse(e.Source); err != nil {
		return err
	}
	return checkDigest(e.Digest)
}

func (j *Journal) remember(one entry) {
	if _, known := j.home[one.Blob]; one.Blob != "" && known && one.Begun {
		return // the known image may have the whole blob
	}
	if one.Blob != "" {
		j.home[one.Blob] = one.Target
		return
	}
	j.done[one.Target] = one
}

// add records an entry and writes it to the file.
func (j *Journal) add(one entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.remember(one)
	if j.file == nil {
		return nil
	}
	line, err := json.Marshal(one)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return unrecorded(j.file.Name(), err)
	}
	return nil
}

// finished returns the digest that a copy had when it finished; false if no finished copy is recorded.
func (j *Journal) finished(source, target string) (digest string, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	one, ok := j.done[target]
	return one.Digest, ok && one.Source == source
}

// homeOf returns an image whose repository has a blob, or may have it because an earlier run was killed while sending it.
func (j *Journal) homeOf(blob string) (target string, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	target, ok = j.home[blob]
	return target, ok
}

// Close closes the file.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
