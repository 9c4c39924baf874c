// Package actions contains GitHub Actions for users; its test runs their steps as the runner does.
package actions
