package schemacheck

import "sync"

// Cache stores compiled schemas by their texts, for later validations. It is safe for concurrent use; a nil Cache stores nothing.
type Cache struct {
	mu   sync.Mutex
	kept map[string]*Schema
}

// Compile returns the compiled schema of a text.
func (c *Cache) Compile(text []byte) (*Schema, error) {
	if c == nil {
		return Compile(text)
	}
	c.mu.Lock()
	known := c.kept[string(text)]
	c.mu.Unlock()
	if known != nil {
		return known, nil
	}
	compiled, err := Compile(text)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string]*Schema{}
	}
	c.kept[string(text)] = compiled
	return compiled, nil
}
