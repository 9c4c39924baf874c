package findings_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/findings"
)

func TestTableIsWellFormed(t *testing.T) {
	code := regexp.MustCompile(`^[A-Z]{3}[1-9][0-9]{2}$`)
	seen := map[string]bool{}
	for _, row := range findings.Table() {
		assert.True(t, code.MatchString(row.Code), "%s is not three letters and three digits", row.Code)
		assert.False(t, seen[row.Code], "%s is in the table twice", row.Code)
		seen[row.Code] = true
		assert.NotEmpty(t, row.Why, "%s has no sentence or no reason", row.Code)
		assert.NotEmpty(t, row.Sentence, "%s has no sentence or no reason", row.Code)
		isCheck := strings.HasSuffix(row.Code, "00")
		// The sentences of SCH103 and SCH105 contain the allowed values.
		assert.False(t, !isCheck && row.Fix == "" && row.Code != "SCH103" && row.Code != "SCH105", "%s has no fix", row.Code)
		assert.Equal(t, row.Level == findings.Inconclusive, isCheck, "%s: only codes that end in 00 are inconclusive", row.Code)
		assert.False(t, !isCheck && !strings.HasSuffix(row.Sentence, "."), "%s: the sentence does not end with a period: %q", row.Code, row.Sentence)
	}
}

func TestNewFillsTheSentence(t *testing.T) {
	place := helmvalues.Place{Value: "global.runtime.ingress.protocol", File: "my.yaml", Line: 4, Column: 7}
	got := findings.New("MOD303", place, place.Value, "ftp")
	want := findings.Finding{
		Code: "MOD303", Level: findings.Fail, Place: place,
		Message: `global.runtime.ingress.protocol is "ftp", but has to be http or https.`,
		Fix:     "set global.runtime.ingress.protocol to https",
	}
	assert.Equal(t, want, got)
	lighter := got.AtLevel(findings.Warn).WithFix("use %s", "https")
	assert.Equal(t, findings.Warn, lighter.Level)
	assert.Equal(t, "use https", lighter.Fix)
}

func TestPlaceString(t *testing.T) {
	cases := map[string]helmvalues.Place{
		"my.yaml:3:9":              {Value: "a.b", File: "my.yaml", Line: 3, Column: 9},
		"--set a.b":                {Value: "a.b", Flag: "--set"},
		"a.b (chart default)":      {Value: "a.b", Default: true},
		"global.runtime.something": {Value: "global.runtime.something"},
	}
	for want, place := range cases {
		assert.Equal(t, want, place.String())
	}
}
