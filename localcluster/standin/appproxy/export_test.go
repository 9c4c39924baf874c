package appproxy

// AskElector makes a program ask another elector than the one beside its pod.
func (p *Program) AskElector(url string) { p.elector = url }
