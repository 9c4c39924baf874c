// Package monitoring holds the queries of dashboards and rules to the metrics that programs expose. It is in this module since it parses them with
// Prometheus' own parser.
package monitoring
