// Package nodeimage provides the image of a kind node: upstream's if it can be pulled, otherwise one built only from Debian packages and Go modules,
// without a container registry.
//
// A built image has two layers. The lower layer is Debian with systemd and containerd; it depends only on a list of packages. The upper layer
// contains Kubernetes, kind's own node files, the files of this package, and an archive of the container images that Kubernetes itself runs, which
// containerd imports when the node starts for the first time. The package does not depend on the cluster that runs the node.
package nodeimage

import "embed"

//go:embed files
var files embed.FS

// file returns the content of an embedded file.
func file(name string) string {
	text, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err) // the files are compiled in, so only a wrong name in this package causes this error
	}
	return string(text)
}
