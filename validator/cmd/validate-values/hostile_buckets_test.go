//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"fmt"
	"net/http"
	"strings"

	"filippo.io/age"
	"github.com/stretchr/testify/require"
)

// bucket returns the arguments to restore a path of a bucket whose server is this handler.
func bucket(path string, handler http.HandlerFunc) func(g *ground) []string {
	return func(g *ground) []string {
		key, err := age.GenerateX25519Identity()
		require.NoError(g, err)
		g.env = []string{"AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=canary-secret", "AWS_SESSION_TOKEN=canary-token", "AWS_REGION=us-east-1", "AWS_ENDPOINT_URL_S3=" + g.serve(handler)}
		return []string{"restore", "--dry-run", "--file", "s3://backups/" + path, "--identity", g.write("key", key.String())}
	}
}

// listing is the beginning of a response to ListObjectsV2, and object one entry of it, of this name:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html.
const (
	listing = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>backups</Name>`
	object  = `<Contents><Key>%s</Key><Size>1</Size></Contents>`
)

// replies returns a handler that sends a text with a status.
func replies(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

// hostileBuckets are servers of buckets that answer what no server should.
var hostileBuckets = []input{
	{"an endless archive", bucket("a.age", endless("age-encryption.org/v1\n", "x")), "read s3://backups/a.age"},
	{"an archive of a terabyte, announced", bucket("a.age", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(1<<40))
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		if r.Method == http.MethodGet {
			endless("", "x")(w, r)
		}
	}), "exceeds 48 MiB"},
	{"an archive that is cut", bucket("a.age", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		_, _ = w.Write([]byte("age"))
		panic(http.ErrAbortHandler)
	}), "read s3://backups/a.age"},
	{"an endless listing", bucket("", endless(listing, fmt.Sprintf(object, "x"))), "list s3://backups/"},
	{"an endless name in a listing", bucket("", endless(listing+"<Contents><Key>", "x")), "list s3://backups/"},
	{"endless white space before a listing", bucket("", endless("", " ")), "list s3://backups/"},
	{"a listing whose pages never end", bucket("", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(listing + "<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>" +
			strings.Repeat(fmt.Sprintf(object, "a/b"), 1000) + "</ListBucketResult>"))
	}), "s3://backups/"},
	{"deep elements in a listing", bucket("", replies(http.StatusOK, listing+strings.Repeat("<Contents>", 500_000))), "list s3://backups/"},
	{"entities in a listing", bucket("", replies(http.StatusOK, `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "canary">]>`+listing+"<Contents><Key>&a;</Key></Contents></ListBucketResult>")), "list s3://backups/"},
	{"names with escape characters", bucket("", replies(http.StatusOK, listing+fmt.Sprintf(object, "::error::x\u202e-20260101T000000Z.age")+
		fmt.Sprintf(object, "\u009b2J-20260101T000000Z.age")+"</ListBucketResult>")), `name one, such as ::error::x\u202e`},
	{"an archive of another folder", bucket("", replies(http.StatusOK, listing+fmt.Sprintf(object, "../../x-20260101T000000Z.age")+"</ListBucketResult>")), "there is no archive"},
	{"an error with escape characters", bucket("a.age", replies(http.StatusForbidden, "<Error><Code>\u202e&#xA;::error::x</Code><Message>\u009b2J&#xA;::error::y</Message></Error>")), "s3://backups/a.age"},
	{"an error that quotes the credentials", bucket("a.age", replies(http.StatusForbidden, "<Error><Code>Odd</Code><Message>the token canary-token is wrong</Message></Error>")), "***"},
	{"an endless error", bucket("a.age", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		endless("<Error><Code>", "x")(w, r)
	}), "s3://backups/a.age"},
	{"a redirect to the metadata of a cloud", bucket("a.age", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
	}), "s3://backups/a.age"},
	{"a header of several megabytes", bucket("a.age", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 20<<20))
	}), "s3://backups/a.age"},
}
