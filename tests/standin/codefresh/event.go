package codefresh

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// EventsPath is the path to which events are posted.
const EventsPath = "/2.0/api/events"

// Attempts to post an event, as in the reporter's source: five, a second apart, of at most 30 s
// (pkg/codefresh/client.go of Codefresh's fork of Argo CD, v2.12.3-2024.10.24).
const (
	EventAttempts = 5
	EventPause    = time.Second
	EventTimeout  = 30 * time.Second
)

// Report posts an event, gzipped. Any 2xx response is success; other results are retried after pause.
func (c Client) Report(ctx context.Context, event any, pause time.Duration) error {
	document, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("encoding an event: %w", err)
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(document); err != nil {
		return fmt.Errorf("compressing an event: %w", err)
	}
	if err := writer.Close(); err != nil {
		return fmt.Errorf("compressing an event: %w", err)
	}
	for attempt := 1; ; attempt++ {
		err := c.post(ctx, packed.Bytes())
		if err == nil || attempt == EventAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

func (c Client) post(ctx context.Context, packed []byte) error {
	ctx, cancel := context.WithTimeout(ctx, EventTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.URL, "/")+EventsPath, bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("the platform's URL %q is not a URL", c.URL)
	}
	request.Header.Set("Authorization", string(c.Token))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	response, err := c.HTTP.Do(request)
	if err != nil {
		return fmt.Errorf("reporting an event: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(response.Body, answerLimit)) // the readable part explains the status
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("reporting an event: the platform answered %s: %s", response.Status, shown(text))
	}
	return nil
}
