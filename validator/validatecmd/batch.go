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

// workers is how many files of a batch are checked in parallel: enough to wait for several responses at the same time, few enough not to overload a
// server.
const workers = 4

// batch checks many values files, each separately over the files of -f and under the flags, and writes one report over all of them as they finish. The
// subject contains what they share.
func batch(ctx context.Context, files []string, outputs outputs, subject checks.Subject, options Options, system System) (code int, err error) {
	if err := options.keepInput(ctx); err != nil {
		return 0, unread(ctx, err)
	}
	written, err := outputs.batch(system.Out)
	if err != nil {
		return 0, broken(err)
	}
	total := report.Total{Version: system.Version}
	for made := range inOrder(ctx, files, func(file string) single { return checkOne(ctx, file, subject, options, system) }) {
		if made.left {
			continue
		}
		if made.err != nil {
			return 0, errors.Join(made.err, written.abandon())
		}
		total.Count(made.report)
		code = heavier(code, verdict(made.report.Results, options.Strict, false))
		if err := written.add(made.report); err != nil {
			return 0, broken(errors.Join(err, written.abandon()))
		}
	}
	if total.Unchecked = len(files) - total.Files; total.Unchecked > 0 {
		code = heavier(code, ExitInconclusive)
	}
	if err := written.end(total); err != nil {
		return 0, broken(err)
	}
	return code, nil
}

// heavier is the one of two exit codes that weighs more.
func heavier(a, b int) int {
	weights := []int{ExitOK, ExitWarned, ExitInconclusive, ExitFailed}
	return weights[max(slices.Index(weights, a), slices.Index(weights, b))]
}

// keepInput reads standard input if -f - requests it, so that every file of a batch is merged over the same text.
func (o *Options) keepInput(ctx context.Context) error {
	if !slices.Contains(o.Values.Files, "-") {
		return nil
	}
	text, err := o.Values.Input(ctx)
	o.Values.Text = append([]byte{}, text...)
	return err
}

// unread is the error of values that were not read: the user's own, unless the
// run was interrupted while it waited for them.
func unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return broken(err)
	}
	return usage(err)
}

// single is the result of one file; left means that the run was interrupted before it was read.
type single struct {
	report report.Report
	left   bool
	err    error
}

// checkOne checks one file. A file without values is a finding, so that the others are still checked; any other error ends the run.
func checkOne(ctx context.Context, file string, subject checks.Subject, options Options, system System) single {
	options.Values.Files = append(slices.Clone(options.Values.Files), file)
	loaded, err := helmvalues.Load(ctx, options.Values)
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
	made, err := run(ctx, withDefaults(subject), options, system)
	made.File = file
	return single{report: made, err: err}
}

// inOrder yields the result of each file, in the order of the files. At most as many results as there are workers are kept in memory. Once the context
// ends, no further file is started.
func inOrder(ctx context.Context, files []string, check func(file string) single) func(yield func(single) bool) {
	return func(yield func(single) bool) {
		coming := make(chan chan single, workers-1)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(coming)
			for _, file := range files {
				if ctx.Err() != nil {
					return
				}
				one := make(chan single, 1)
				select {
				case coming <- one:
				case <-stop:
					return
				}
				go func() { one <- check(file) }()
			}
		}()
		for one := range coming {
			if !yield(<-one) {
				return
			}
		}
	}
}
