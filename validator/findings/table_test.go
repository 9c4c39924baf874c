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
		assert.True(t, code.MatchString(row.Code), "%s: a code is three letters and three digits", row.Code)
		assert.False(t, seen[row.Code], "%s stands twice in the table", row.Code)
		seen[row.Code] = true
		assert.NotEmpty(t, row.Why, "%s lacks its sentence or its reason", row.Code)
		assert.NotEmpty(t, row.Sentence, "%s lacks its sentence or its reason", row.Code)
		isCheck := strings.HasSuffix(row.Code, "00")
		// The sentences of SCH103 and SCH105 name what is allowed.
		assert.False(t, !isCheck && row.Fix == "" && row.Code != "SCH103" && row.Code != "SCH105", "%s does not say what to do", row.Code)
		assert.Equal(t, row.Level == findings.Inconclusive, isCheck, "%s: the hundreds, and only they, stand for a question without an answer", row.Code)
		assert.False(t, !isCheck && !strings.HasSuffix(row.Sentence, "."), "%s: a sentence ends with a full stop: %q", row.Code, row.Sentence)
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
