// Package install installs the GitOps runtime's chart on the local cluster as users do, with helm upgrade --install, in any access mode, with the
// platform's stand-in. `make install` and the end-to-end tests share it. It knows the charts' folders and values, but not their templates.
package install
