package generate_test

import (
	"io"
	"log"
	"os"
	"testing"
)

// Helm's libraries write warnings about values to the standard logger.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}
