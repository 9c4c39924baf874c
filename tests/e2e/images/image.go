package images

import (
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"gitops-runtime/tests/e2e/images/gobuild"
	"gitops-runtime/tests/e2e/images/ocilayer"
)

// Origin is where an image comes from, for the status table.
type Origin string

// The origins of images.
const (
	Pulled          Origin = "pulled"
	BuiltFromSource Origin = "built from source"
	DebianPackage   Origin = "Debian package"
	StandIn         Origin = "stand-in"
	Own             Origin = "own"
)

// Image is one available image.
type Image struct {
	// Name is the full reference in the charts.
	Name string
	// Origin is where the available image comes from.
	Origin Origin
	// Note describes differences from the published image; may be empty.
	Note string
}

// Mode is an access mode of the runtime; it determines which images are needed.
type Mode string

// The modes.
const (
	Tunnel  Mode = "tunnel"
	Ingress Mode = "ingress"
	Gateway Mode = "gateway"
	Mesh    Mode = "mesh"
)

var everyMode = []Mode{Tunnel, Ingress, Gateway, Mesh}

// row is one line of the catalog.
type row struct {
	// name is the full reference in the charts.
	name string
	// modes need the image; empty if it is only available by name.
	modes []Mode
	// neverPull marks images that only this project builds.
	neverPull bool
	// recipe builds the image if it cannot be pulled.
	recipe recipe
}

func (r row) neededIn(mode Mode) bool { return slices.Contains(r.modes, mode) }

// recipe describes the content of an image.
type recipe struct {
	origin Origin
	note   string
	// debian puts the image on the shared layer of Debian packages.
	debian bool
	// programs are built from Go modules, each as a separate layer.
	programs []placed
	// zones adds the time zones of the Go distribution.
	zones bool
	// files are the last layer.
	files []ocilayer.Entry
	// config is how a container of the image starts.
	config v1.Config
}

// onlyPulled returns the recipe of images whose programs can neither be built nor replaced by a stand-in.
func onlyPulled() recipe { return recipe{origin: Pulled} }

// placed is a program and its path in the image.
type placed struct {
	program gobuild.Program
	path    string
}
