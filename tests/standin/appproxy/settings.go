package appproxy

import "gitops-runtime/tests/standin/settings"

// Settings are the settings of cap-app-proxy's main container that the stand-in reads.
type Settings struct {
	settings.Proxies

	PlatformURL string          `env:"CF_HOST"`
	UserToken   settings.Secret `env:"USER_TOKEN"`
	Token       settings.Secret `env:"RUNTIME_TOKEN"`    // Token is set only if the Secret existed before the pod.
	StoreIV     settings.Secret `env:"RUNTIME_STORE_IV"` // StoreIV is the other key of that Secret.

	Runtime           string `env:"RUNTIME_NAME,required"`
	RuntimeVersion    string `env:"RUNTIME_VERSION,required"`
	ChartVersion      string `env:"CHART_VERSION,required"`
	Namespace         string `env:"NAMESPACE,required"`
	Cluster           string `env:"CLUSTER,required"`
	InstallationType  string `env:"INSTALLATION_TYPE,required"`
	Managed           bool   `env:"MANAGED,required"`
	IngressHost       string `env:"INGRESS_HOST,required"`
	IngressClass      string `env:"INGRESS_CLASS_NAME,required,empty"`
	IngressController string `env:"INGRESS_CONTROLLER,required,empty"`
	ExternalArgoCD    bool   `env:"IS_EXTERNAL_ARGOCD"`
	Configuration     bool   `env:"IS_CONFIGURATION_RUNTIME,required"`

	ArgoCDURL      string          `env:"ARGO_CD_URL"`
	ArgoCDUsername string          `env:"ARGO_CD_USERNAME"`
	ArgoCDPassword settings.Secret `env:"ARGO_CD_PASSWORD"`
	ArgoCDToken    settings.Secret `env:"ARGO_CD_TOKEN"`

	LeaderID string `env:"LEADER_ID"` // LeaderID is the pod's name if there are several pods.

	CacheHost     string          `env:"CACHE_HOST"`
	CachePort     int             `env:"CACHE_PORT"`
	CachePassword settings.Secret `env:"CACHE_PASSWORD"`

	CORS    string `env:"CORS"`
	ExtraCA string `env:"NODE_EXTRA_CA_CERTS,required"`
	Port    int    `env:"PORT"` // Port is the port to listen on; HTTP if the user sets none.
	HTTP    int    `port:"8080"`
}

// InitSettings are the settings of the init container: mounted files, and no variables.
type InitSettings struct {
	GitCertificates      string `file:"/app/config/git-tls-certs"`
	PlatformCertificates string `file:"/app/config/codefresh-tls-certs"`
	Joined               string `file:"/app/config/all"`
}
