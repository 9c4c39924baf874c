package valueschema

import "sync"

// Cache stores compiled schemas by their texts, for later validations. The zero value is an empty cache; goroutines may share it. A nil Cache stores
// nothing.
type Cache struct{ compiled sync.Map }

type entry struct {
	once   sync.Once
	schema *Schema
	err    error
}

// Compile returns the compiled schema of a text.
func (c *Cache) Compile(text []byte) (*Schema, error) {
	if c == nil {
		return Compile(text)
	}
	found, _ := c.compiled.LoadOrStore(string(text), &entry{})
	known := found.(*entry)
	known.once.Do(func() { known.schema, known.err = Compile(text) })
	return known.schema, known.err
}

// Forget removes all schemas.
func (c *Cache) Forget() { c.compiled.Clear() }
