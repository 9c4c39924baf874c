package appproxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gitops-runtime/tests/standin/codefresh"
	"gitops-runtime/tests/standin/recordings"
	"gitops-runtime/tests/standin/serve"
)

// PromotionPath is the path of the action that gitops-operator sends for a promotion.
const PromotionPath = "/api/promotions/commit"

// promotion is the body of the action, as recorded.
type promotion struct {
	SrcAppID        applicationID `json:"srcAppId"`
	SrcAppCommitSHA string        `json:"srcAppCommitSha"`
	DestAppID       applicationID `json:"destAppId"`
	Message         string        `json:"message"`
}

type applicationID struct{ Runtime, Namespace, Name string }

// source is where an Application is in Git.
type source struct{ RepoURL, TargetRevision, Path string }

// promoter commits promotions.
type promoter struct{ platform func() codefresh.Client }

// ServeHTTP commits the files of one Application to the place of another, and returns {"sha"}. Where they are, the platform says. That a promotion
// without a template is all files of the path is an assumption of the stand-in.
func (p promoter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var given promotion
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, echoLimit)).Decode(&given); err != nil {
		serve.Failure(w, http.StatusBadRequest, "the body is not a promotion: "+err.Error())
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	id, err := p.promote(ctx, given)
	if err != nil {
		serve.Failure(w, http.StatusBadGateway, err.Error())
		return
	}
	serve.JSON(w, http.StatusOK, map[string]string{"sha": id})
}

func (p promoter) promote(ctx context.Context, given promotion) (string, error) {
	from, to := given.SrcAppID, given.DestAppID
	var answer struct {
		SrcApp, DestApp *struct{ SpecSource source }
	}
	variables := map[string]any{
		"srcRuntime": from.Runtime, "srcNamespace": from.Namespace, "srcName": from.Name,
		"destRuntime": to.Runtime, "destNamespace": to.Namespace, "destName": to.Name,
	}
	if err := p.platform().GraphQL(ctx, recordings.Named("PromotionData").Query, variables, &answer); err != nil {
		return "", err
	}
	if answer.SrcApp == nil || answer.DestApp == nil {
		return "", fmt.Errorf("the platform does not know the Application %s or %s", from.Name, to.Name)
	}
	folder, err := os.MkdirTemp("", "promotion-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	return commitCopy(ctx, folder, answer.SrcApp.SpecSource, answer.DestApp.SpecSource, given)
}

// commitCopy clones both places below folder, replaces the files of one by those of the other, and pushes the commit.
func commitCopy(ctx context.Context, folder string, from, to source, given promotion) (string, error) {
	id := ""
	source, target := filepath.Join(folder, "source"), filepath.Join(folder, "target")
	for _, args := range [][]string{
		{"git", "clone", "--quiet", from.RepoURL, source},
		{"git", "-C", source, "checkout", "--quiet", given.SrcAppCommitSHA},
		{"git", "clone", "--quiet", "--branch", branchOf(to.TargetRevision), to.RepoURL, target},
		{"rm", "-rf", filepath.Join(source, ".git")},
		{"cp", "-R", filepath.Join(source, from.Path) + "/.", filepath.Join(target, to.Path)},
		{"git", "-C", target, "add", "--all"},
		{"git", "-C", target, "commit", "--quiet", "--message", given.Message},
		{"git", "-C", target, "push", "--quiet"},
		{"git", "-C", target, "rev-parse", "HEAD"},
	} {
		command := exec.CommandContext(ctx, args[0], args[1:]...)
		command.Env = []string{
			"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder, "GIT_AUTHOR_NAME=app-proxy", "GIT_AUTHOR_EMAIL=app-proxy@example.com",
			"GIT_COMMITTER_NAME=app-proxy", "GIT_COMMITTER_EMAIL=app-proxy@example.com",
		}
		out, err := command.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
		}
		id = strings.TrimSpace(string(out))
	}
	return id, nil
}

func branchOf(revision string) string {
	if revision == "HEAD" || revision == "" {
		return "main"
	}
	return revision
}

// graphQL refuses the action of a drag and drop: it names a repository by its owner and name, which only the API of a Git provider resolves.
func graphQL(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, echoLimit))
	if err != nil {
		serve.Failure(w, http.StatusRequestEntityTooLarge, "the body is larger than 16 MiB or was cut off")
		return
	}
	if !strings.Contains(string(body), "commitFiles") {
		serve.Failure(w, http.StatusBadRequest, "the stand-in knows only commitFiles of app-proxy's API")
		return
	}
	serve.Failure(w, http.StatusNotImplemented, "the stand-in has no Git provider to commit files to")
}
