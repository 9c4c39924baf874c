package cost

import (
	"fmt"
	"io"
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Write writes usages as a table in Markdown, with the sum over all pods below.
func Write(out io.Writer, usages []Usage) error {
	var cpu, memory float64
	var requestedCPU, requestedMemory resource.Quantity
	pods := 0
	lines := []string{
		"| workload | container | pods | idle CPU | idle memory | CPU request | memory request |",
		"| --- | --- | ---: | ---: | ---: | ---: | ---: |",
	}
	for _, u := range usages {
		lines = append(lines, fmt.Sprintf("| %s | %s | %d | %s | %s | %s | %s |",
			u.Workload, u.Container, u.Pods, milli(u.CPU), mebi(float64(u.Memory)), or(u.Requests.Cpu()), or(u.Requests.Memory())))
		cpu += float64(u.Pods) * u.CPU
		memory += float64(u.Pods) * float64(u.Memory)
		pods += u.Pods
		for range u.Pods {
			requestedCPU.Add(*u.Requests.Cpu())
			requestedMemory.Add(*u.Requests.Memory())
		}
	}
	lines = append(lines, fmt.Sprintf("| all | | %d | %s | %s | %s | %s |", pods, milli(cpu), mebi(memory), or(&requestedCPU), or(&requestedMemory)))
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return fmt.Errorf("write the table of costs: %w", err)
		}
	}
	return nil
}

// milli formats an amount of CPU as Kubernetes does; a small amount is not rounded to zero.
func milli(cpu float64) string { return fmt.Sprintf("%.0fm", math.Ceil(cpu)) }

// mebi formats an amount of memory as Kubernetes does.
func mebi(bytes float64) string { return fmt.Sprintf("%.0fMi", math.Ceil(bytes/(1<<20))) }

// or formats a quantity, or a dash if there is none.
func or(quantity *resource.Quantity) string {
	if quantity.IsZero() {
		return "none"
	}
	return quantity.String()
}
