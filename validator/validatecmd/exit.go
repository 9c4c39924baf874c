package validatecmd

import "gitops-runtime/validator/engine"

// The exit codes of the program.
const (
	// ExitOK means every check passed, warned or was skipped.
	ExitOK = 0
	// ExitError means the program itself failed.
	ExitError = 1
	// ExitUsage means wrong flags, or values that cannot be read.
	ExitUsage = 2
	// ExitFailed means at least one check failed.
	ExitFailed = 3
	// ExitWarned means warnings under --strict.
	ExitWarned = 4
	// ExitInconclusive means that a request got no response.
	ExitInconclusive = 5
)

// Verdict returns the exit code for the results. With essentialOnly an inconclusive check counts only if an install depends on it.
func Verdict(results []engine.Result, strict, essentialOnly bool) int {
	code := ExitOK
	for _, result := range results {
		switch {
		case result.Status == engine.Failed:
			return ExitFailed
		case result.Status == engine.Inconclusive && (result.Essential || !essentialOnly):
			code = ExitInconclusive
		case result.Status == engine.Warned && strict && code == ExitOK:
			code = ExitWarned
		}
	}
	return code
}
