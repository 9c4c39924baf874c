package docker

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLacksSysResource(t *testing.T) {
	for name, test := range map[string]struct {
		status string
		want   bool
		err    string
	}{
		"all capabilities":     {status: "Name:\tsh\nCapEff:\t0\nCapBnd:\t000001ffffffffff\nCapAmb:\t0\n", want: false},
		"all but SYS_RESOURCE": {status: "CapBnd:\t000001fffeffffff\n", want: true},
		"Docker's default":     {status: "CapBnd:\t00000000a80425fb\n", want: true},
		"no such line":         {status: "Name:\tsh\n", err: "/proc/self/status has no line CapBnd"},
		"no number": {
			status: "CapBnd:\tmany\n",
			err:    `the bounding set in /proc/self/status: strconv.ParseUint: parsing "many": invalid syntax`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lacksSysResource(test.status)
			if test.err != "" {
				assert.EqualError(t, err, test.err)
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}
