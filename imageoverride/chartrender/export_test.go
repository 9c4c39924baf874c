package chartrender

// Executed counts the results that a renderer stores.
func Executed(r *Renderer) int {
	count := 0
	for _, kept := range r.engine.kept {
		count += len(kept)
	}
	return count
}
