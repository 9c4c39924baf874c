package serve

import (
	"encoding/json"
	"net/http"
)

// JSON writes value as an indented JSON document with the given HTTP status.
func JSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	// A client that has disconnected is not an error of the server.
	_ = encoder.Encode(value)
}

// Failure writes {"message": message} with the given HTTP status.
func Failure(w http.ResponseWriter, status int, message string) {
	JSON(w, status, map[string]string{"message": message})
}

// Alive responds to a health check with 200 and "ok".
func Alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}
