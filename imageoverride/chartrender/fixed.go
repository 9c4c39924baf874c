package chartrender

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"time"
)

// fixedMoment is the current time in templates.
var fixedMoment = time.Date(2024, time.January, 1, 12, 0, 0, 0, time.UTC)

// fixedFuncs replaces functions whose results differ from run to run. Results depend on a counter, so that two random strings of a file differ.
type fixedFuncs struct {
	count int
	used  bool // in this render
	// slower is the CPU time that Helm's engine may need in addition, for keys and copies of files.
	slower time.Duration
}

// CPU time that Helm's engine may need for a key of 4096 bits, which is found by chance, for that of a certificate, for a byte of a copied file, and for all
// of a render.
const (
	keyTime         = 5 * time.Second
	certificateTime = time.Second
	byteTime        = 500 * time.Nanosecond
	maxSlower       = 15 * time.Second
)

func (f *fixedFuncs) reset() { f.count = 0 }

func (f *fixedFuncs) next() int { f.count++; f.used = true; return f.count }

// certificate has the fields that templates read from generated certificates.
type certificate struct{ Cert, Key string }

func (f *fixedFuncs) certificate(...any) certificate {
	n := f.next()
	f.slower += certificateTime
	return certificate{Cert: pem("CERTIFICATE", n), Key: pem("RSA PRIVATE KEY", n)}
}

func pem(kind string, n int) string {
	body := base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("fixed %s %d", kind, n)))
	return fmt.Sprintf("-----BEGIN %s-----\n%s\n-----END %s-----\n", kind, body, kind)
}

// copied is deepCopy.
func (f *fixedFuncs) copied(value any) (any, error) {
	f.slower += copyTime(value)
	return deepCopy(value), nil
}

// letters returns a function that creates a text of a given length from an alphabet.
func (f *fixedFuncs) letters(alphabet string) func(int) (string, error) {
	return func(length int) (string, error) {
		n := f.next()
		if err := tooLong("a random text", max(length, 0)); err != nil {
			return "", err
		}
		var text strings.Builder
		for i := 0; i < length; i++ {
			text.WriteByte(alphabet[(n+i)%len(alphabet)])
		}
		return text.String(), nil
	}
}

func (f *fixedFuncs) table() template.FuncMap {
	const digits, alpha = "0123456789", "abcdefghijklmnopqrstuvwxyz"
	return template.FuncMap{
		"now":          func() time.Time { f.used = true; return fixedMoment },
		"ago":          func(any) string { return "0s" },
		"randAlphaNum": f.letters(alpha + digits),
		"randAlpha":    f.letters(alpha),
		"randAscii":    f.letters(alpha + digits),
		"randNumeric":  f.letters(digits),
		"randInt":      func(low, _ int) int { f.used = true; return low },
		"randBytes": func(length int) (string, error) {
			text, err := f.letters(alpha)(length)
			return base64.StdEncoding.EncodeToString([]byte(text)), err
		},
		"uuidv4":  func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", f.next()) },
		"shuffle": func(text string) string { f.used = true; return text },
		"genPrivateKey": func(kind string) string {
			f.slower += keyTime
			return pem(strings.ToUpper(kind)+" PRIVATE KEY", f.next())
		},
		"genCA":                    f.certificate,
		"genCAWithKey":             f.certificate,
		"genSelfSignedCert":        f.certificate,
		"genSelfSignedCertWithKey": f.certificate,
		"genSignedCert":            f.certificate,
		"genSignedCertWithKey":     f.certificate,
		"bcrypt":                   func(string) string { return "$2a$10$fixed" },
		"htpasswd":                 func(user, _ string) string { return user + ":$2a$10$fixed" },
		"derivePassword":           func(any, string, string, string, string) string { return "fixed-password" },
		"encryptAES":               func(_, text string) (string, error) { return base64.StdEncoding.EncodeToString([]byte(text)), nil },
		"decryptAES": func(_, text string) (string, error) {
			data, err := base64.StdEncoding.DecodeString(text)
			return string(data), err
		},
		"deepCopy":     f.copied,
		"mustDeepCopy": f.copied,
		"keys":         sortedKeys,
		"values":       sortedValues,
	}
}

// sortedKeys is sprig's keys with a stable order.
func sortedKeys(dicts ...map[string]any) []string {
	all := []string{}
	for _, dict := range dicts {
		names := slices.Sorted(maps.Keys(dict))
		all = append(all, names...)
	}
	return all
}

// sortedValues is sprig's values in the order of their keys.
func sortedValues(dict map[string]any) []any {
	all := make([]any, 0, len(dict))
	for _, name := range sortedKeys(dict) {
		all = append(all, dict[name])
	}
	return all
}
