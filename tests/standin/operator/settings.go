package operator

import (
	"time"

	"gitops-runtime/tests/standin/settings"
)

// Settings are the settings of gitops-operator's container manager that the stand-in reads.
type Settings struct {
	PlatformURL string          `env:"CF_URL,required"`
	Token       settings.Secret `env:"CF_TOKEN,required"`
	CAFile      string          `env:"CF_CA_CERT"`

	ArgoCD      string `env:"ARGO_CD_URL,required"`
	TokenSecret string `env:"ARGO_CD_TOKEN_SECRET_NAME,required"`
	TokenKey    string `env:"ARGO_CD_TOKEN_SECRET_KEY,required"`
	AppProxy    string `env:"AP_URL,required"`
	Workflows   string `env:"ARGO_WF_URL,required"`

	Namespace      string `env:"NAMESPACE,required"`
	Runtime        string `env:"RUNTIME,required"`
	RuntimeVersion string `env:"RUNTIME_VERSION,required"`

	TaskInterval         time.Duration `env:"TASK_POLLING_INTERVAL,required"`
	CommitStatusInterval time.Duration `env:"COMMIT_STATUS_POLLING_INTERVAL,required"`

	HealthAddress  string `env:"HEALTH_PROBE_BIND_ADDRESS,required"`
	MetricsAddress string `env:"METRICS_BIND_ADDRESS,required"`
}
