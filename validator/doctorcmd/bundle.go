package doctorcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/validator/bundle"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/reportpage"
)

type bundleOptions struct {
	file       string
	since      time.Duration
	components []string
	maxSize    string
}

func (o *bundleOptions) register(flags *pflag.FlagSet) {
	flags.StringVar(&o.file, "bundle", "", "write a support bundle without credentials into this .tar.gz file")
	flags.DurationVar(&o.since, "since", time.Hour, "maximum age of log lines and events in the bundle")
	flags.StringSliceVar(&o.components, "component", nil, "pack only the logs and metrics of these programs, by the label app.kubernetes.io/name (may be repeated)")
	flags.StringVar(&o.maxSize, "max-size", "5Mi", "maximum size of the bundle")
}

func (o *bundleOptions) check() error {
	if o.file == "" {
		return nil
	}
	size, err := resource.ParseQuantity(o.maxSize)
	switch {
	case err != nil || size.Value() <= 0:
		return fmt.Errorf("--max-size %q is not a size such as 5Mi", o.maxSize)
	case o.since <= 0:
		return errors.New("--since leaves no time; give a duration such as 1h")
	}
	return nil
}

// write writes the bundle, and says what was left out.
func (o *bundleOptions) write(ctx context.Context, of *runtime, made report.Report, progress io.Writer) error {
	size, err := resource.ParseQuantity(o.maxSize)
	if err != nil {
		return err
	}
	page, err := reportpage.New()
	if err != nil {
		return err
	}
	reports := map[string][]byte{}
	for name, format := range map[string]string{"findings.txt": "text", "findings.json": "json", "findings.html": "html"} {
		writer, err := report.ByName(format, false, map[string]report.Format{"html": page})
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := writer.Write(&text, made); err != nil {
			return fmt.Errorf("bundle: %w", err)
		}
		reports[name] = text.Bytes()
	}
	into, err := outfile.Create(o.file, 0o600)
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	left, err := bundle.Write(ctx, into, bundle.Input{
		Cluster: of.cluster, Release: of.stored, Reports: reports, Version: made.Version, Now: of.now, Since: o.since, Components: o.components, MaxSize: size.Value(),
	})
	if err != nil {
		return fmt.Errorf("bundle: %w", errors.Join(err, into.Abandon()))
	}
	if err := into.Finish(); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	fmt.Fprintf(progress, "validate-values: wrote %s; left-out.txt in it lists what it does not contain\n", cleantext.Line(o.file))
	for _, one := range left {
		fmt.Fprintf(progress, "  left out: %s\n", cleantext.Line(one))
	}
	return nil
}
