// Package tunnel runs frp's client and server and nginx with the configurations that the charts tunnel-client and tunnel-server render.
package tunnel
