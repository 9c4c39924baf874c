package selftest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Port is the port of the pod of a test, if it listens.
const Port = 8080

// Listen opens Port on every address of the pod.
func Listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", fmt.Sprintf(":%d", Port))
}

// serve serves requests until stop is called.
func (s Surroundings) serve(ctx context.Context, handler http.Handler) (stop func(), err error) {
	listener, err := s.Listen(ctx)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // it always ends with an error
	return func() { _ = server.Close() }, nil
}

// Serve responds to every request with 200 until ctx ends; it is the program of pods that only have to run.
func Serve(ctx context.Context, listen func(context.Context) (net.Listener, error)) error {
	listener, err := listen(ctx)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }),
		ReadHeaderTimeout: 10 * time.Second,
	}
	end := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer end()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
