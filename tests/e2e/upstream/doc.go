// Package upstream compares this repository with the code of upstream projects: Helm's program, its install action and its loading of values, and the
// API server's validation with custom resource definitions. It does not need a cluster; it is in this module because that code requires more modules
// than the rest of the root module together.
package upstream
