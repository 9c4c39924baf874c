// Package gomodule is the old address of internal/gomodule.
package gomodule

import "gitops-runtime/internal/gomodule"

// Module is a pinned module.
type Module = gomodule.Module

// What the package offers.
var (
	Root = gomodule.Root
	Find = gomodule.Find
)
