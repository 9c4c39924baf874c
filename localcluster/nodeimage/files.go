// Package nodeimage provides the image of a kind node: upstream's where it can be pulled, else one built from Debian packages
// and Go modules alone, which needs no container registry.
//
// A built image has two layers. The lower is Debian with systemd and containerd, which depends on a list of packages
// only. The upper has Kubernetes, kind's own node files, the files of this package, and an archive of the container
// images that Kubernetes itself runs, which containerd imports when the node starts for the first time. The package knows nothing
// of the cluster that runs the node.
package nodeimage

import "embed"

//go:embed files
var files embed.FS

// file is the text of one of the embedded files.
func file(name string) string {
	text, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err) // the files are compiled in, so only a wrong name in this package leads here
	}
	return string(text)
}
