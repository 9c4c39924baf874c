package schemacheck

import "sync"

// Cache keeps compiled schemas for the checks that come after, each by the
// very text it was made from. It may be used by many at a time.
type Cache struct {
	mu   sync.Mutex
	kept map[*byte]*Schema
}

// Compile gives the schema of a text, which must not change afterwards.
func (s *Cache) Compile(text []byte) (*Schema, error) {
	if s == nil || len(text) == 0 {
		return Compile(text)
	}
	s.mu.Lock()
	known := s.kept[&text[0]]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	compiled, err := Compile(text)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[*byte]*Schema{}
	}
	s.kept[&text[0]] = compiled
	return compiled, nil
}
