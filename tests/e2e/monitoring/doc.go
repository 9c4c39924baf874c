// Package monitoring compares the queries of dashboards and rules with the metrics that programs expose. It is in this module since it parses them with
// the Prometheus parser.
package monitoring
