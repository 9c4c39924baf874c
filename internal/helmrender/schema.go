package helmrender

import (
	"errors"
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/valueschema"
)

// Validate validates values against the schemas of a chart and of its subcharts. The error is that of chartutil.ValidateAgainstSchema. Without a
// cache, Helm itself validates.
func Validate(cache *valueschema.Cache, of *chart.Chart, values map[string]any) error {
	if cache == nil {
		return chartutil.ValidateAgainstSchema(of, values)
	}
	var messages strings.Builder
	if of.Schema != nil {
		if err := ValidateOne(cache, of.Schema, values); err != nil {
			fmt.Fprintf(&messages, "%s:\n%s", of.Name(), err)
		}
	}
	for _, child := range of.Dependencies() {
		given := values[child.Name()]
		if given == nil {
			continue
		}
		below, isMap := given.(map[string]any)
		if !isMap {
			fmt.Fprintf(&messages, "%s:\ninvalid type for values: expected object (map), got %T\n", child.Name(), given)
			continue
		}
		if err := Validate(cache, child, below); err != nil {
			messages.WriteString(err.Error())
		}
	}
	if messages.Len() > 0 {
		return errors.New(messages.String())
	}
	return nil
}

// ValidateOne validates values against one schema. Helm compiles a schema for each validation; it is asked only for the message about values that do
// not fit, and about schemas that package valueschema cannot use: Helm may fetch documents that they refer to.
func ValidateOne(cache *valueschema.Cache, text []byte, values map[string]any) error {
	if schema, err := cache.Compile(text); err == nil && schema.Fits(values) {
		return nil
	}
	return chartutil.ValidateAgainstSingleSchema(values, text)
}
