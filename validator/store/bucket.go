package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/netfail"
)

// bucket is a folder in a bucket; the prefix is empty or ends with a slash.
type bucket struct {
	client       *minio.Client
	name, prefix string
	host         string
	token        string // of the session: the only secret that the server receives, and could quote
}

// attempts is how often a request is sent that a server could not answer.
const attempts = 3

// openBucket connects with the settings that the programs of AWS read from the environment,
// https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html.
func openBucket(name, prefix string, getenv func(string) string) (*bucket, error) {
	if err := s3utils.CheckValidBucketName(name); err != nil {
		return nil, fmt.Errorf("%q is not the name of a bucket: %w", name, err)
	}
	given := cmp.Or(getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	at, err := url.Parse(given)
	if err != nil || at.Host == "" || strings.Trim(at.Path, "/") != "" || at.User != nil || at.Scheme != "https" && at.Scheme != "http" {
		return nil, errors.New("AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is not a URL of a server, such as https://minio.example.com:9000")
	}
	network := netfail.Client(netfail.Settings{HTTPProxy: getenv("HTTP_PROXY"), HTTPSProxy: getenv("HTTPS_PROXY"), NoProxy: getenv("NO_PROXY")})
	keys, err := signIn(getenv, network)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds: keys, Secure: at.Scheme == "https", Region: cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")), Transport: newBounded(network.Transport), MaxRetries: attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("the server of the bucket %s: %w", name, err)
	}
	return &bucket{client, name, prefix, at.Host, getenv("AWS_SESSION_TOKEN")}, nil
}

// signIn returns the credentials of the environment: keys, or the role of a service account, by a token that EKS mounts (IRSA) or its agent gives (Pod Identity).
func signIn(getenv func(string) string, network *http.Client) (*credentials.Credentials, error) {
	if key, secret := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"); key != "" && secret != "" {
		return credentials.NewStaticV4(key, secret, getenv("AWS_SESSION_TOKEN")), nil
	}
	role := credentials.IAM{Client: network, Region: getenv("AWS_REGION")}
	role.EKSIdentity.TokenFile, role.EKSIdentity.RoleARN, role.EKSIdentity.RoleSessionName = getenv("AWS_WEB_IDENTITY_TOKEN_FILE"), getenv("AWS_ROLE_ARN"), getenv("AWS_ROLE_SESSION_NAME")
	role.Container.CredentialsFullURI, role.Container.AuthorizationTokenFile = getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI"), getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
	if role.EKSIdentity.TokenFile == "" && role.Container.CredentialsFullURI == "" {
		return nil, errors.New("no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or give the service account a role of AWS")
	}
	return credentials.New(&role), nil
}

// failed describes why a request failed. Only codes and sentences of the server are shown.
func (b *bucket) failed(what, name string, err error) error {
	answer := minio.ToErrorResponse(err)
	var why string
	switch answer.Code {
	case minio.NoSuchBucket:
		why = "the bucket does not exist: create it, or correct its name"
	case minio.NoSuchKey:
		why = "there is no such archive"
	case "AccessDenied":
		why = "the credentials lack the permission"
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
		why = "the server rejects the credentials (" + answer.Code + ")"
	case "":
		why = netfail.Classify(b.host, err).Error()
		for _, limit := range []error{errListed, errArchive} {
			if errors.Is(err, limit) {
				why = limit.Error()
			}
		}
	default:
		why = answer.Code + ": " + answer.Message
		if b.token != "" {
			why = strings.ReplaceAll(why, b.token, "***")
		}
		why = cleantext.Line(cleantext.Short(why))
	}
	return fmt.Errorf("%s s3://%s/%s%s at %s: %s", what, b.name, b.prefix, name, b.host, why)
}

// Put sends the archive in one request, which the server stores only if it has all of it.
func (b *bucket) Put(ctx context.Context, name string, content []byte) error {
	_, err := b.client.PutObject(ctx, b.name, b.prefix+name, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: true,
	})
	if err != nil {
		return b.failed("write", name, err)
	}
	return nil
}

// Get reads an object.
func (b *bucket) Get(ctx context.Context, name string) ([]byte, error) {
	object, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.failed("read", name, err)
	}
	content, err := io.ReadAll(io.LimitReader(object, MaxArchive+1))
	if closed := object.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return nil, b.failed("read", name, err)
	case len(content) > MaxArchive:
		return nil, fmt.Errorf("s3://%s/%s%s exceeds %d MiB", b.name, b.prefix, name, MaxArchive>>20)
	}
	return content, nil
}

// List returns the names of the objects in the folder.
func (b *bucket) List(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var names []string
	for object := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if object.Err != nil {
			return nil, b.failed("list", "", object.Err)
		}
		if name := strings.TrimPrefix(object.Key, b.prefix); name != "" && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	return names, nil
}

// Remove removes an object.
func (b *bucket) Remove(ctx context.Context, name string) error {
	if err := b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{}); err != nil {
		return b.failed("remove", name, err)
	}
	return nil
}
