package gitserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxLine is the longest pkt-line: 65520 bytes, including four for its length. sideBand is the maximum part of a pack in one line.
const (
	maxLine  = 65520
	sideBand = maxLine - 5
)

const capabilities = "side-band-64k ofs-delta no-progress symref=HEAD:" + branch + " agent=stand-in/1"

// writeLine writes a pkt-line: the length in four hexadecimal digits, these included, then the text.
func writeLine(out *bytes.Buffer, text string) { fmt.Fprintf(out, "%04x%s", len(text)+4, text) }

// advertisement returns the response to info/refs?service=git-upload-pack (gitprotocol-http, protocol version 0).
func (r *Repository) advertisement() []byte {
	head := r.Head()
	var out bytes.Buffer
	writeLine(&out, "# service=git-upload-pack\n")
	out.WriteString("0000")
	writeLine(&out, head+" HEAD\x00"+capabilities+"\n")
	writeLine(&out, head+" "+branch+"\n")
	out.WriteString("0000")
	return out.Bytes()
}

// wants is a client's request to git-upload-pack.
type wants struct {
	ids      []string // ids are 40 hexadecimal digits each.
	sideBand bool
	done     bool // done means that the client waits for the pack; otherwise it continues to list its objects.
}

// readWants parses a request of git-upload-pack. The client's objects are ignored: the pack is always the whole repository.
func readWants(body io.Reader) (wants, error) {
	var request wants
	reader := bufio.NewReader(body)
	for {
		line, err := readLine(reader)
		if errors.Is(err, io.EOF) {
			return request, nil
		}
		if err != nil {
			return wants{}, err
		}
		fields := strings.Fields(line)
		switch {
		case len(fields) == 1 && fields[0] == "done":
			request.done = true
		case len(fields) >= 2 && fields[0] == "want":
			request.ids = append(request.ids, fields[1])
			request.sideBand = request.sideBand || strings.Contains(line, "side-band-64k")
		case len(fields) > 0 && fields[0] != "have":
			return wants{}, fmt.Errorf("the request line %q is not understood", fields[0])
		}
	}
}

func readLine(reader io.Reader) (string, error) {
	var length [4]byte
	if _, err := io.ReadFull(reader, length[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return "", fmt.Errorf("the request is cut off: %w", err)
		}
		return "", err
	}
	size, err := strconv.ParseUint(string(length[:]), 16, 16)
	if err != nil || (size > 0 && size < 4) {
		return "", fmt.Errorf("the length %q of a request line is not a number of bytes", length)
	}
	if size == 0 {
		return "", nil
	}
	text := make([]byte, size-4)
	if _, err := io.ReadFull(reader, text); err != nil {
		return "", fmt.Errorf("the request is cut off: %w", io.ErrUnexpectedEOF)
	}
	return string(text), nil
}

// upload returns the response of git-upload-pack: NAK, and the pack if the client is done.
func (r *Repository) upload(request wants) ([]byte, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, id := range request.ids {
		if !r.has(id) {
			return nil, fmt.Errorf("the object %q is not in this repository", id)
		}
	}
	var out bytes.Buffer
	writeLine(&out, "NAK\n")
	if !request.done || len(request.ids) == 0 {
		return out.Bytes(), nil
	}
	pack, err := r.objects.pack()
	if err != nil {
		return nil, err
	}
	if !request.sideBand {
		out.Write(pack)
		return out.Bytes(), nil
	}
	for len(pack) > 0 {
		part := pack[:min(len(pack), sideBand)]
		writeLine(&out, "\x01"+string(part))
		pack = pack[len(part):]
	}
	out.WriteString("0000")
	return out.Bytes(), nil
}

// has reports whether an object with an id, in hexadecimal, exists; the caller holds the lock.
func (r *Repository) has(id string) bool {
	for raw := range r.objects {
		if fmt.Sprintf("%x", raw) == id {
			return true
		}
	}
	return false
}
