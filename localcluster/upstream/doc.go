// Package upstream compares this repository with the code of the projects that it
// stands on: Helm's program, its install action and its reading of values, and the
// API server's reading of custom resource definitions. It has nothing to do with
// clusters; it is in this module because that code needs more modules than all the
// rest of the root module together.
package upstream
