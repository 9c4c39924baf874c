# The runtime as a release of the Helm provider, for Terraform and OpenTofu. The API key is in the Secret codefresh-api-key of the namespace,
# so it is in no state file.
terraform {
  required_version = ">= 1.3"
  required_providers {
    helm = {
      source = "hashicorp/helm"
    }
  }
}

variable "account_id" {
  description = "Id of the account on the platform"
  type        = string
}

variable "runtime_name" {
  description = "Name of the runtime, unique in the account"
  type        = string
}

resource "helm_release" "gitops_runtime" {
  name             = "cf-gitops-runtime"
  namespace        = "codefresh"
  create_namespace = true
  repository       = "oci://registry.example.com/gitops"
  chart            = "gitops-runtime"
  version          = "1.0.0" # version of the chart
  timeout          = 900

  values = [yamlencode({
    global = {
      codefresh = {
        accountId = var.account_id
        userToken = {
          secretKeyRef = {
            name = "codefresh-api-key"
            key  = "token"
          }
        }
      }
      runtime = {
        name = var.runtime_name
      }
    }
  })]
}
