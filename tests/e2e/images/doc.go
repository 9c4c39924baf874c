// Package images obtains every container image that the charts reference, without Docker, and pushes the images to a private registry.
//
// The catalog (table.go) determines how an image is obtained: it is pulled if its registry responds, otherwise built from Go modules or Debian
// packages under the same name, otherwise replaced by a small test program that reports that it is a stand-in. Images are stored in the user's cache
// under a key of all their inputs, so nothing is built twice. The package does not know clusters, nor how charts name images in a private registry.
package images
