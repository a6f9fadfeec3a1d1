{{- define "holdfast.ports" -}}
{{- $ports := list -}}
{{- range . }}{{ $ports = append $ports (dict "protocol" "TCP" "port" .) }}{{ end -}}
{{ toJson $ports }}
{{- end -}}

{{/* A rule: to or from these peers, on these ports. No peers stand for any address. */}}
{{- define "holdfast.rule" -}}
{{- $rule := dict "ports" (include "holdfast.ports" .ports | fromJsonArray) -}}
{{- if .peers }}{{ $_ := set $rule .direction .peers }}{{ end -}}
{{ toJson (list $rule) }}
{{- end -}}

{{/* Whether peers are public addresses only, as by default. */}}
{{- define "holdfast.publicOnly" -}}
{{- $isPublic := gt (len .) 0 -}}
{{- range . -}}
{{- $excepted := toJson (.ipBlock | default dict).except -}}
{{- if not (or (contains "10.0.0.0/8" $excepted) (contains "fc00::/7" $excepted)) }}{{ $isPublic = false }}{{ end -}}
{{- end -}}
{{ ternary "yes" "" $isPublic }}
{{- end -}}

{{/* Refuses URLs in the environment of an Agent that the policies cut off, and an ingress that may not enter: both would time out. */}}
{{- define "holdfast.refuseUnreachable" -}}
{{- if .Values.network.enabled -}}
{{- $ports := list -}}
{{- range .Values.network.ports.remoteServices }}{{ $ports = append $ports (int .) }}{{ end -}}
{{- $publicOnly := include "holdfast.publicOnly" .Values.network.remoteServices -}}
{{- range $agent := .Values.agents -}}
{{- $all := merge (dict) ($agent.env | default dict) $.Values.agentEnv -}}
{{- range concat $.Values.extraEnv ($.Values.agent.extraEnv | default list) ($agent.extraEnv | default list) -}}
{{- if .value }}{{ $_ := set $all .name .value }}{{ end -}}
{{- end -}}
{{- range $name, $value := omit $all "NO_PROXY" -}}
{{- if and (regexMatch "^https?://[^/]" $value) (not (has $name $.Values.network.notCalled)) -}}
{{- $url := urlParse $value -}}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "443" "80" (eq $url.scheme "https")) | int -}}
{{- $host := regexReplaceAll ":[0-9]+$" $url.host "" -}}
{{- $place := printf "%s of the Agent %s (%s://%s)" $name $agent.name $url.scheme $url.host -}}
{{- $otherwise := printf "or network.notCalled=[%s] where it is not called" $name -}}
{{- if not (has $port $ports) -}}
{{- fail (printf "%s cannot be reached: the network policy remote-services lets Agents reach port %s only. Add %d to network.ports.remoteServices, %s" $place (join ", " $ports) $port $otherwise) -}}
{{- end -}}
{{- $inCluster := or (not (regexMatch "[.:]" $host)) (regexMatch "\\.svc(\\.|$)|\\.cluster\\.local\\.?$" $host) -}}
{{- $private := regexMatch "^(10\\.|192\\.168\\.|172\\.(1[6-9]|2[0-9]|3[01])\\.|169\\.254\\.|100\\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\\.|\\[f[cd]|\\[fe[89ab])" $host -}}
{{- if and $publicOnly (or $inCluster $private) -}}
{{- fail (printf "%s cannot be reached: the network policy remote-services lets Agents reach public addresses only. Name its pods or its network in network.remoteServices, %s" $place $otherwise) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $service := list "operations" "console" -}}
{{- $own := get $.Values $service -}}
{{- $isOutside := or ($own.ingress | default dict).enabled ($own.httpRoute | default dict).enabled -}}
{{- if and $isOutside (eq (toJson $.Values.network.operators) `[{"podSelector":{"matchLabels":{"holdfast-operator":"true"}}}]`) -}}
{{- fail (printf "%s cannot be reached from outside: the network policies let in only pods with the label holdfast-operator. Name the pods of your ingress controller or gateway in network.operators" $service) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
