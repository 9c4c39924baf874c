package appproxy

// AskElector makes a program use another elector than the sidecar of its pod.
func (p *Program) AskElector(url string) { p.elector = url }
