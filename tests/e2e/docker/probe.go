package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
)

const probeImage = "gitops-runtime/probe:1"

// exitCode is, per architecture, the machine code of a program that exits immediately with status 0.
var exitCode = map[string]struct {
	machine uint16 // e_machine of the ELF header
	code    []byte
}{
	"amd64": {62, []byte{0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05}},                   // mov eax, 60; xor edi, edi; syscall
	"arm64": {183, []byte{0, 0, 0x80, 0xd2, 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4}}, // mov x0, 0; mov x8, 93; svc 0
}

// Privileged returns nil if the engine can run a privileged container, such as a kind node. It runs one with an image of a few hundred bytes.
func (e *Engine) Privileged(ctx context.Context) error {
	has, err := e.Has(ctx, probeImage)
	if err != nil {
		return err
	}
	if !has {
		layer, err := probeLayer(runtime.GOARCH)
		if err != nil {
			return err
		}
		if _, err := e.RunWith(ctx, bytes.NewReader(layer), "import", "-", probeImage); err != nil {
			return err
		}
	}
	if _, err := e.Run(ctx, "run", "--rm", "--privileged", "--network", "none", probeImage, "/probe"); err != nil {
		return fmt.Errorf("the Docker engine cannot run privileged containers, which kind needs: %w", err)
	}
	return nil
}

// probeLayer returns a tar file that contains only the program /probe.
func probeLayer(arch string) ([]byte, error) {
	program, err := exitProgram(arch)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Name: "probe", Mode: 0o755, Size: int64(len(program))}); err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	return out.Bytes(), w.Close()
}

// exitProgram returns the smallest static ELF program: header, one program header, code.
func exitProgram(arch string) ([]byte, error) {
	target, known := exitCode[arch]
	if !known {
		return nil, fmt.Errorf("no way to try a container on %s: amd64 and arm64 are supported", arch)
	}
	const base, headers = 0x400000, 64 + 56
	size := uint64(headers) + uint64(len(target.code))
	var out bytes.Buffer
	out.Write([]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	for _, field := range []any{
		uint16(2), target.machine, uint32(1), uint64(base + headers), uint64(64), uint64(0), // type, ..., entry, tables
		uint32(0), uint16(64), uint16(56), uint16(1), uint16(0), uint16(0), uint16(0), // flags, sizes, counts
		uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), size, size, uint64(0x1000), // PT_LOAD, read and run
	} {
		if err := binary.Write(&out, binary.LittleEndian, field); err != nil {
			return nil, err
		}
	}
	out.Write(target.code)
	return out.Bytes(), nil
}
