package security

import (
	"bytes"

	"gitops-runtime/tests/contract"
)

// narrower returns the permissions that the published chart grants and this one does not, with the reasons of the contract's allow-list.
func narrower() ([]contract.Entry, error) {
	entries, err := contract.Allowed()
	if err != nil {
		return nil, err
	}
	var rights []contract.Entry
	for _, entry := range entries {
		if entry.Aspect == "rule" {
			rights = append(rights, entry)
		}
	}
	return rights, nil
}

func writeNarrower(out *bytes.Buffer, rights []contract.Entry) {
	out.WriteString(`
## Permissions narrower than the published ones

The published chart grants these accounts more. If a value grants it here, too, the reason names the value.

| role | why it is narrower |
| --- | --- |
`)
	for _, entry := range rights {
		row(out, entry.Object, entry.Reason)
	}
}
