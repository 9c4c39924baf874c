package process

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"
)

// module returns the prefix of this repository's packages, as the compiler records it.
func module() string {
	type here struct{}
	return strings.TrimSuffix(reflect.TypeFor[here]().PkgPath(), "internal/process")
}

// ContainPanic is deferred, so that a bug in one part of a run does not affect the results of the others. It recovers a panic and stores an error that names the place in this repository, for a bug report; the value of the panic may quote
// a user's value, so the error contains only its type.
func ContainPanic(into *error) {
	problem := recover()
	if problem == nil {
		return
	}
	*into = fmt.Errorf("a fault at %s (%T), which is a bug", place(), problem)
}

// place returns the file and line of the innermost function of this repository on the stack of the panic.
func place() string {
	callers := make([]uintptr, 64)
	prefix := module()
	frames := runtime.CallersFrames(callers[:runtime.Callers(4, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, prefix) {
			return fmt.Sprintf("%s:%d", path.Base(frame.File), frame.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
