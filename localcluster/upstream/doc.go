// Package upstream compares this repository with the code of upstream projects: Helm's program, its install action and its loading of values, and the
// API server's validation with custom resource definitions. It is not related to clusters; it is in this module because that code needs more modules
// than the rest of the root module together.
package upstream
