package router

import (
	"io"
	"net/http"
)

// Echo switches protocols, as the target of a WebSocket does, and returns everything it receives until the connection ends.
func Echo(w http.ResponseWriter) {
	connection, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = connection.Close() }()
	_, _ = buffered.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
	_ = buffered.Flush()
	_, _ = io.Copy(connection, buffered)
}
