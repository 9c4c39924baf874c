// Package backupcmd is the commands `validate-values backup` and `validate-values restore`: their flags, keys and files.
package backupcmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/validator/backup"
	"gitops-runtime/validator/doctorcmd"
	"gitops-runtime/validator/store"
	"gitops-runtime/validator/validatecmd"
)

const backupText = `Saves what a running GitOps runtime consists of besides its chart into one archive, encrypted in the format of age: the values of the release, its Secrets with
the token of the runtime and the keys of sealed-secrets, repositories, clusters and credentials of Argo CD, and the AppProjects, Applications, ApplicationSets,
EventBuses, EventSources, Sensors, WorkflowTemplates and CronWorkflows of all namespaces. It prints what it contains and what it does not.

--file is a file, or an object of a bucket by the protocol of S3, as in s3://bucket/runtime.age. With a slash at the end it is a folder, in which the archive is named
after the release and the time, and --keep removes the oldest ones. Buckets are reached with the settings that AWS' own programs read: AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY, or the role of a service account; AWS_REGION; and AWS_ENDPOINT_URL_S3 for another server than AWS.

Exit codes: 0 fine, 1 the program failed, or something cannot be read, 2 usage.`

const restoreText = `Restores a runtime from a backup onto a cluster without one. The platform sees the same runtime, SealedSecrets decrypt, and webhooks keep their addresses. The
automated sync of Applications is held until all objects are there. It runs helm, which installs the chart of --chart with the values of the backup. Without --chart, a
runtime that Argo CD had installed is installed by Argo CD: the command says when to sync its Application, and waits.

--file is what backup has written: a file or an object of a bucket, or a folder of one of them, for the newest archive in it.

The archive is decrypted and verified as a whole before anything is changed. A restore that was interrupted continues: run the same command again.

Exit codes: 0 fine, 1 the program failed, or the restore is incomplete, 2 usage, an archive that cannot be read, or a cluster that has a runtime.`

// keys are the flags of keys.
type keys struct {
	recipients     []string
	recipientsFile string
	identity       string
	passphraseFile string
}

// maxKey is the maximum size of a file with keys in bytes.
const maxKey = 64 << 10

// maxLacks is the maximum number of lines about what a backup does not contain.
const maxLacks = 100

// maxLack is the maximum number of characters of such a line.
const maxLack = 1000

// workFactor is the logarithm of the cost of a passphrase; scrypt takes 64 MiB with it.
const workFactor = 16

func (k keys) read(name string) (string, error) {
	text, err := outfile.ReadRegular(name, maxKey)
	if err != nil {
		return "", fmt.Errorf("%s: %s", name, outfile.Reason(err))
	}
	return string(text), nil
}

func (k keys) passphrase() (string, error) {
	text, err := k.read(k.passphraseFile)
	if text = strings.TrimRight(text, "\r\n"); err == nil && text == "" {
		err = fmt.Errorf("%s: the passphrase is empty", k.passphraseFile)
	}
	return text, err
}

// forBackup returns those who can read an archive.
func (k keys) forBackup() ([]age.Recipient, error) {
	if k.passphraseFile != "" {
		if len(k.recipients) > 0 || k.recipientsFile != "" {
			return nil, errors.New("--passphrase-file excludes --recipient and --recipients-file")
		}
		text, err := k.passphrase()
		if err != nil {
			return nil, err
		}
		made, err := age.NewScryptRecipient(text)
		if err != nil {
			return nil, err
		}
		made.SetWorkFactor(workFactor)
		return []age.Recipient{made}, nil
	}
	all := strings.Join(k.recipients, "\n")
	if k.recipientsFile != "" {
		text, err := k.read(k.recipientsFile)
		if err != nil {
			return nil, err
		}
		all += "\n" + text
	}
	if strings.TrimSpace(all) == "" {
		return nil, errors.New("nobody could read the backup: give --recipient with a public key of age (age-keygen makes one), or --passphrase-file")
	}
	recipients, err := age.ParseRecipients(strings.NewReader(all))
	if err != nil {
		return nil, fmt.Errorf("a recipient is not a public key of age, such as age1...: %w", err)
	}
	return recipients, nil
}

// forRestore returns what decrypts an archive.
func (k keys) forRestore() ([]age.Identity, error) {
	switch {
	case (k.identity == "") == (k.passphraseFile == ""):
		return nil, errors.New("give --identity with the file of the private key, or --passphrase-file")
	case k.identity != "":
		text, err := k.read(k.identity)
		if err != nil {
			return nil, err
		}
		found, err := age.ParseIdentities(strings.NewReader(text))
		if err != nil { // the error may quote the key
			return nil, fmt.Errorf("%s has no private key of age, a line that begins with AGE-SECRET-KEY-1", k.identity)
		}
		return found, nil
	}
	text, err := k.passphrase()
	if err != nil {
		return nil, err
	}
	made, err := age.NewScryptIdentity(text)
	if err != nil {
		return nil, err
	}
	made.SetMaxWorkFactor(workFactor)
	return []age.Identity{made}, nil
}

type options struct {
	keys
	validatecmd.Options
	file     string
	keep     int
	helm     string
	patience time.Duration
	dryRun   bool
}

func (o *options) common(flags *pflag.FlagSet, file string) {
	flags.SortFlags = false
	flags.StringVar(&o.file, "file", "", file)
	flags.StringVar(&o.Connection.Kubeconfig, "kubeconfig", "", "kubeconfig file")
	flags.StringVar(&o.Connection.Context, "context", "", "context of the kubeconfig")
}

// Backup returns the command that makes a backup.
func Backup(system validatecmd.System, code *int) *cobra.Command {
	var o options
	command := &cobra.Command{
		Use: "backup --file FILE --recipient KEY", Short: "Save a running GitOps runtime into one encrypted archive", Long: backupText,
		Example: "  validate-values backup --namespace codefresh --file runtime.age --recipient age1...\n  validate-values backup -n codefresh --file - --passphrase-file passphrase.txt | ssh host 'cat > runtime.age'\n  validate-values backup -n codefresh --file s3://bucket/runtimes/ --keep 14 --recipient age1...",
		Args:    cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error {
			*code = validatecmd.ExitOK
			return o.backup(command.Context(), system)
		},
	}
	flags := command.Flags()
	o.common(flags, "file to write, s3://BUCKET/NAME, a folder or s3://BUCKET/FOLDER/ with a slash at the end, or - for standard output")
	flags.IntVar(&o.keep, "keep", 0, "number of archives of the release that remain in the folder; 0 for all")
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the release (default: that of the kubeconfig's context)")
	flags.StringVar(&o.Release, "release", "cf-gitops-runtime", "name of the Helm release")
	flags.StringSliceVarP(&o.Values.Files, "values", "f", nil, "values of a runtime that is not a Helm release and that no Application on this cluster describes (may be repeated)")
	flags.StringVar(&o.ChartVersion, "version", "", "version of the chart of such a runtime")
	flags.StringArrayVar(&o.recipients, "recipient", nil, "public key of age that can read the backup (may be repeated)")
	flags.StringVar(&o.recipientsFile, "recipients-file", "", "file with public keys of age, one on each line")
	flags.StringVar(&o.passphraseFile, "passphrase-file", "", "file with a passphrase, instead of public keys")
	flags.DurationVar(&o.Timeout, "timeout", 2*time.Minute, "timeout of the whole run")
	return command
}

func (o options) backup(ctx context.Context, system validatecmd.System) error {
	usage := func(err error) error { return validatecmd.Failure(validatecmd.ExitUsage, err) }
	failed := func(err error) error { return validatecmd.Failure(validatecmd.ExitError, err) }
	if o.file == "" {
		return usage(errors.New("give --file, the file to write, or - for standard output"))
	}
	switch err := o.Names(); {
	case err != nil:
		return usage(err)
	case o.keep < 0 || o.keep > 0 && !strings.HasSuffix(o.file, "/"):
		return usage(errors.New("--keep is a number of archives in a folder: end --file with a slash"))
	}
	recipients, err := o.forBackup()
	if err != nil {
		return usage(err)
	}
	into, err := o.open(system)
	if err != nil {
		return usage(err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	found, namespace, err := system.Connect(ctx, o.Connection)
	if err != nil {
		return usage(err)
	}
	if o.Namespace = cmp.Or(o.Namespace, namespace); o.Namespace == "" {
		return usage(errors.New("no namespace: give --namespace NS, the namespace of the release"))
	}
	stored, err := doctorcmd.Find(ctx, found, o.Options)
	if err != nil {
		return usage(err)
	}
	application := ""
	if stored.Application != nil {
		application = stored.Application.Namespace + "/" + stored.Application.Name
	}
	merged, err := chartutil.CoalesceValues(stored.Chart, helmvalues.CopyTree(stored.Config))
	if err != nil {
		return failed(fmt.Errorf("the values of release %s: %w", o.Release, err))
	}
	values := helmvalues.New(merged)
	if stored.Chart.Name() != helmchart.Umbrella {
		values = values.Part(helmchart.Umbrella)
	}
	made, err := backup.Collect(ctx, found, stored.Release, application, values.String("global.runtime.name", ""), system.Now())
	if err != nil {
		return failed(fmt.Errorf("backup: %w", err))
	}
	if err := o.save(ctx, system, into, made, recipients); err != nil {
		return failed(err)
	}
	tell(system.Err, made)
	return nil
}

// place is where an archive is; the name is empty in a folder. There is no store for standard input and output.
type place struct {
	store.Store
	name string
}

func (o options) open(system validatecmd.System) (place, error) {
	if o.file == "-" {
		return place{}, nil
	}
	opened, name, err := store.Open(o.file, system.Getenv)
	return place{opened, name}, err
}

// save writes an archive as a whole, then removes old ones.
func (o options) save(ctx context.Context, system validatecmd.System, into place, made backup.Archive, recipients []age.Recipient) error {
	if into.Store == nil {
		return made.Seal(system.Out, recipients...)
	}
	var sealed bytes.Buffer
	if err := made.Seal(&sealed, recipients...); err != nil {
		return err
	}
	name := cmp.Or(into.name, store.Name(made.Namespace, made.Release, made.Made))
	if err := into.Put(ctx, name, sealed.Bytes()); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if into.name == "" {
		fmt.Fprintf(system.Err, "validate-values: wrote %s\n", cleantext.Line(o.file+name))
	}
	if o.keep == 0 {
		return nil
	}
	removed, err := store.Prune(ctx, into, name, o.keep)
	for _, each := range removed {
		fmt.Fprintf(system.Err, "validate-values: removed %s\n", cleantext.Line(o.file+each))
	}
	if err != nil {
		return fmt.Errorf("backup: the archive is written, but old ones remain: %w", err)
	}
	return nil
}

// tell says what a backup contains, and what it does not. It quotes an archive, which may be another's.
func tell(out io.Writer, made backup.Archive) {
	quoted := func(text string) string { return cleantext.Line(cleantext.Short(text)) }
	fmt.Fprintf(out, "validate-values: runtime %s, release %s in namespace %s, chart %s %s\n",
		quoted(made.Runtime), quoted(made.Release), quoted(made.Namespace), quoted(made.Chart), quoted(made.Version))
	for _, kind := range slices.Sorted(maps.Keys(made.Contains)) {
		fmt.Fprintf(out, "  %4d %s\n", made.Contains[kind], quoted(kind))
	}
	fmt.Fprintln(out, "not contained:")
	for _, one := range made.Lacks[:min(len(made.Lacks), maxLacks)] {
		fmt.Fprintf(out, "  - %s\n", cleantext.Line(cleantext.Cut(one, maxLack)))
	}
	if more := len(made.Lacks) - maxLacks; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

// Restore returns the command that restores a backup.
func Restore(system validatecmd.System, code *int) *cobra.Command {
	var o options
	command := &cobra.Command{
		Use: "restore --file FILE --identity KEYFILE --chart CHART", Short: "Restore a GitOps runtime onto an empty cluster", Long: restoreText,
		Example: "  validate-values restore --file runtime.age --identity key.txt --chart oci://registry.example.com/charts/gitops-runtime\n  validate-values restore --file runtime.age --identity key.txt --dry-run",
		Args:    cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error {
			*code = validatecmd.ExitOK
			return o.restore(command.Context(), system)
		},
	}
	flags := command.Flags()
	o.common(flags, "archive to read, s3://BUCKET/NAME, a folder with a slash at the end for its newest archive, or - for standard input")
	flags.StringVar(&o.identity, "identity", "", "file with the private key of age")
	flags.StringVar(&o.passphraseFile, "passphrase-file", "", "file with the passphrase, for a backup that was made with one")
	flags.StringVar(&o.Chart, "chart", "", "chart that helm installs, in the version of the backup: directory, .tgz file or oci:// reference")
	flags.StringVar(&o.helm, "helm", "helm", "the program helm")
	flags.BoolVar(&o.dryRun, "dry-run", false, "verify the archive and say what it contains; contact no cluster")
	flags.DurationVar(&o.patience, "wait", 5*time.Minute, "time within which Argo CD has to compare the Applications with Git")
	flags.DurationVar(&o.Timeout, "timeout", 20*time.Minute, "timeout of the whole run")
	return command
}

func (o options) restore(ctx context.Context, system validatecmd.System) error {
	usage := func(err error) error { return validatecmd.Failure(validatecmd.ExitUsage, err) }
	if o.file == "" {
		return usage(errors.New("give --file, the archive"))
	}
	identities, err := o.forRestore()
	if err != nil {
		return usage(err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	sealed, err := o.load(ctx, system)
	if err != nil {
		return usage(err)
	}
	archive, err := backup.Open(sealed, identities...)
	if err != nil {
		return usage(err)
	}
	tell(system.Err, *archive)
	switch {
	case o.dryRun:
		return nil
	case o.Chart == "" && archive.Application == "":
		return usage(errors.New("give --chart, the chart to install"))
	}
	found, _, err := system.Connect(ctx, o.Connection)
	if err != nil {
		return usage(err)
	}
	run := backup.Restore{
		Archive: archive, Target: found, Installer: helm{o}, Patience: o.patience, Pause: time.Second,
		Report: func(step string) { fmt.Fprintf(system.Err, "validate-values: restore: %s\n", cleantext.Line(step)) },
	}
	if o.Chart == "" {
		run.Installer = synced{found, run.Report, run.Pause}
	}
	if err := run.Run(ctx); errors.Is(err, backup.ErrRuntime) {
		return usage(err)
	} else if err != nil {
		return validatecmd.Failure(validatecmd.ExitError, fmt.Errorf("restore: %w", err))
	}
	fmt.Fprintf(system.Err, "validate-values: the runtime %s is restored\n", cleantext.Line(archive.Runtime))
	return nil
}

func (o options) load(ctx context.Context, system validatecmd.System) ([]byte, error) {
	from, err := o.open(system)
	if err != nil {
		return nil, err
	}
	if from.Store != nil {
		if from.name == "" {
			if from.name, err = store.Newest(ctx, from, o.file); err != nil {
				return nil, err
			}
			fmt.Fprintf(system.Err, "validate-values: reading %s\n", cleantext.Line(o.file+from.name))
		}
		return from.Get(ctx, from.name)
	}
	var sealed bytes.Buffer
	if _, err := io.Copy(&sealed, io.LimitReader(system.In, store.MaxArchive+1)); err != nil || sealed.Len() > store.MaxArchive {
		return nil, fmt.Errorf("standard input cannot be read, or exceeds %d MiB", store.MaxArchive>>20)
	}
	return sealed.Bytes(), nil
}
