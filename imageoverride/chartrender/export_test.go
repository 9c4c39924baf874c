package chartrender

// Executed returns the number of results that a renderer stores.
func Executed(r *Renderer) int {
	count := 0
	for _, kept := range r.engine.kept {
		count += len(kept)
	}
	return count
}
