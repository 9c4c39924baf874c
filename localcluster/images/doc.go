// Package images obtains every container image the charts ask for, without
// Docker, and pushes them to a private registry.
//
// The catalog (table.go) says for each image how: pulled from its registry
// where that can be reached, else built from Go modules or Debian packages
// under the same name, else stood in for by a small test program that says so.
// What was obtained is kept in the user's cache under a key made from all it
// was made from; nothing is built twice. The package knows nothing of clusters,
// nor of how charts name images in a private registry.
package images
