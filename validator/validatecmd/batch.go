package validatecmd

import (
	"context"
	"errors"
	"slices"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/report"
)

// workers is the number of files of a batch that are checked in parallel: enough to wait for several responses at the same time, few enough not to
// overload a server.
const workers = 4

// batch checks many values files and writes one report on all of them, file by file. Each file is merged separately: it overrides the files of -f,
// and flags override it. The subject contains what the files share.
func batch(ctx context.Context, files []string, outputs Outputs, subject checks.Subject, options Options, system System) (code int, err error) {
	if err := options.keepInput(ctx); err != nil {
		return 0, unread(ctx, err)
	}
	written, err := outputs.batch(system.Out)
	if err != nil {
		return 0, broken(err)
	}
	total := report.Total{Version: system.Version}
	for result := range inOrder(ctx, files, func(file string) single { return checkOne(ctx, file, subject, options, system) }) {
		if result.left {
			continue
		}
		if result.err != nil {
			return 0, errors.Join(result.err, written.abandon())
		}
		total.Count(result.report)
		code = worse(code, Verdict(result.report.Results, options.Strict, false))
		if err := written.add(result.report); err != nil {
			return 0, broken(errors.Join(err, written.abandon()))
		}
	}
	if total.Unchecked = len(files) - total.Files; total.Unchecked > 0 {
		code = worse(code, ExitInconclusive)
	}
	if err := written.end(total); err != nil {
		return 0, broken(err)
	}
	return code, nil
}

// worse returns the more severe of two exit codes.
func worse(a, b int) int {
	weights := []int{ExitOK, ExitWarned, ExitInconclusive, ExitFailed}
	return weights[max(slices.Index(weights, a), slices.Index(weights, b))]
}

// keepInput reads standard input if -f - requests it, so that every file of a batch is merged with the same text.
func (o *Options) keepInput(ctx context.Context) error {
	if !slices.Contains(o.Values.Files, "-") {
		return nil
	}
	text, err := o.Values.Input(ctx)
	o.Values.Text = append([]byte{}, text...)
	return err
}

// unread returns the error for values that were not read: a usage error, unless the run was interrupted while it waited for them.
func unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return broken(err)
	}
	return usage(err)
}

// single is the result of one file; left means that the run was interrupted before the file was read.
type single struct {
	report report.Report
	left   bool
	err    error
}

// checkOne checks one file. A file without values is a finding, so that the others are still checked; any other error ends the run.
func checkOne(ctx context.Context, file string, subject checks.Subject, options Options, system System) single {
	options.Values.Files = append(slices.Clone(options.Values.Files), file)
	loaded, err := options.values(ctx)
	var flaw *helmvalues.FileError
	switch {
	case err != nil && ctx.Err() != nil:
		return single{left: true}
	case errors.As(err, &flaw) && flaw.File == file:
		subject.Values = helmvalues.New(nil)
		return single{report: report.Report{
			File: file, Version: system.Version, Target: target(subject), Results: []engine.Result{checks.Unreadable(flaw)},
		}}
	case err != nil:
		return single{err: usage(err)}
	}
	subject.Values = loaded
	checked, err := run(ctx, withDefaults(subject), options, system)
	checked.File = file
	return single{report: checked, err: err}
}

// inOrder yields the result of each file, in the order of the files. At most as many results as there are workers are kept in memory. Once the context
// ends, no further file is started.
func inOrder(ctx context.Context, files []string, check func(file string) single) func(yield func(single) bool) {
	return func(yield func(single) bool) {
		pending := make(chan chan single, workers-1)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(pending)
			for _, file := range files {
				if ctx.Err() != nil {
					return
				}
				one := make(chan single, 1)
				select {
				case pending <- one:
				case <-stop:
					return
				}
				go func() { one <- check(file) }()
			}
		}()
		for one := range pending {
			if !yield(<-one) {
				return
			}
		}
	}
}
