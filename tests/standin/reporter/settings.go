package reporter

import "gitops-runtime/tests/standin/settings"

// Settings are the settings of the containers runtime-event-reporter and cluster-event-reporter that the stand-in reads; the names are the same in
// both.
type Settings struct {
	settings.Proxies

	Binary string `env:"BINARY_NAME,required"`
	Mode   string `env:"REPORTER_MODE,required"` // Mode is app or resource.

	PlatformURL string          `env:"CODEFRESH_URL,required"`
	Token       settings.Secret `env:"CODEFRESH_TOKEN,required"`
	CAFile      string          `env:"CODEFRESH_SSL_CERT_PATH,required,empty"`

	ArgoCD         string `env:"ARGOCD_SERVER,required"`
	ArgoCDRootPath string `env:"ARGOCD_SERVER_ROOTPATH,required,empty"`
	TokenSecret    string `env:"ARGO_CD_TOKEN_SECRET_NAME,required"`
	TokenKey       string `env:"ARGO_CD_TOKEN_SECRET_KEY,required"`
	RepoServer     string `env:"REPO_SERVER,required"`
	Gateway        string `env:"ARGO_GATEWAY_URL,required"`

	Redis         string          `env:"REDIS_SERVER"`
	RedisUsername string          `env:"REDIS_USERNAME"`
	RedisPassword settings.Secret `env:"REDIS_PASSWORD"`

	ApplicationNamespaces string `env:"ARGOCD_APPLICATION_NAMESPACES"`
	Namespaced            bool   `env:"IS_NAMESPACED_RUNTIME,required"`
	QueueSize             int    `env:"APP_QUEUE_SIZE,required"`
	Workers               int    `env:"THREADINESS,required"`

	ListenAddress  string `env:"LISTEN_ADDRESS"`
	MetricsAddress string `env:"METRICS_LISTEN_ADDRESS"`
	HTTP           int    `port:"8088"`
	Metrics        int    `port:"8087"`
}
