{{- define "holdfast.image" -}}
{{- $image := .Values.image -}}
{{- if and .own .Values.ownImage.repository }}{{ $image = .Values.ownImage }}{{ end -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "holdfast.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: holdfast
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* The labels and annotations of an object: its own ones win over the common ones. */}}
{{- define "holdfast.metadata" -}}
{{- $labels := dict "app.kubernetes.io/part-of" "holdfast" -}}
{{- with .name }}{{ $_ := set $labels "app.kubernetes.io/name" . }}{{ end -}}
{{- with .component }}{{ $_ := set $labels "app.kubernetes.io/component" . }}{{ end -}}
labels: {{ toJson (merge $labels .Values.commonLabels) }}
{{- with merge (dict) (.annotations | default dict) .Values.commonAnnotations }}
annotations: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* `over` laid over `base`: maps by key, null removes a key, and anything else takes the place of what was there. */}}
{{- define "holdfast.merged" -}}
{{- $all := deepCopy (.base | default dict) -}}
{{- range $name, $value := .over -}}
{{- if kindIs "invalid" $value }}{{ $_ := unset $all $name -}}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $all $name)) -}}
{{- $_ := set $all $name (include "holdfast.merged" (dict "base" (get $all $name) "over" $value) | fromJson) -}}
{{- else }}{{ $_ := set $all $name $value }}{{ end -}}
{{- end -}}
{{ toJson $all }}
{{- end -}}

{{/* How the pods of a service run: what all have, with each layer of `own` laid over it. What is extra is added. */}}
{{- define "holdfast.settings" -}}
{{- $names := list "imagePullSecrets" "podSecurityContext" "containerSecurityContext" "resources" "nodeSelector" "tolerations"
  "affinity" "topologySpreadConstraints" "priorityClassName" "runtimeClassName" "terminationGracePeriodSeconds" "dnsPolicy"
  "dnsConfig" "hostAliases" "podAnnotations" "podLabels" -}}
{{- $extras := list "extraEnv" "extraEnvFrom" "extraVolumes" "extraVolumeMounts" "extraInitContainers" "extraContainers" -}}
{{- $settings := dict -}}
{{- range $layer := prepend (.own | default list) .Values -}}
{{- $picked := dict -}}
{{- range $names }}{{ if hasKey $layer . }}{{ $_ := set $picked . (get $layer .) }}{{ end }}{{ end -}}
{{- $settings = include "holdfast.merged" (dict "base" $settings "over" $picked) | fromJson -}}
{{- range $extras }}{{ $_ := set $settings . (concat (get $settings . | default list) (get $layer . | default list)) }}{{ end -}}
{{- end -}}
{{- if and .Values.openshift $settings.podSecurityContext -}}
{{- $_ := set $settings "podSecurityContext" (omit $settings.podSecurityContext "runAsUser" "runAsGroup" "fsGroup") -}}
{{- end -}}
{{ toJson $settings }}
{{- end -}}

{{/* The environment of a container. Each name is there once: what is extra wins. */}}
{{- define "holdfast.env" -}}
{{- $entries := list -}}
{{- range $name, $value := .env }}{{ $entries = append $entries (dict "name" $name "value" (toString $value)) }}{{ end -}}
{{- if .Values.ca.secret | or .Values.ca.configMap -}}
{{- $entries = append $entries (dict "name" "NODE_EXTRA_CA_CERTS" "value" "/etc/holdfast/ca/ca.crt") -}}
{{- end -}}
{{- $secret := .secret -}}
{{- range .secrets -}}
{{- $entries = append $entries (dict "name" . "valueFrom" (dict "secretKeyRef" (dict "name" $secret "key" .))) -}}
{{- end -}}
{{- if and .traced .Values.tracing.headersSecret -}}
{{- $headers := dict "name" .Values.tracing.headersSecret "key" "OTEL_EXPORTER_OTLP_HEADERS" -}}
{{- $entries = append $entries (dict "name" "OTEL_EXPORTER_OTLP_HEADERS" "valueFrom" (dict "secretKeyRef" $headers)) -}}
{{- end -}}
{{- $byName := dict -}}
{{- range .extra }}{{ $_ := set $byName .name . }}{{ end -}}
{{- $kept := list -}}
{{- range $entries }}{{ if not (hasKey $byName .name) }}{{ $kept = append $kept . }}{{ end }}{{ end -}}
{{- range .extra -}}
{{- if hasKey $byName .name }}{{ $kept = append $kept (get $byName .name) }}{{ $_ := unset $byName .name }}{{ end -}}
{{- end -}}
{{ toJson $kept }}
{{- end -}}

{{/* Probes the process only for life: an outage of Postgres or RabbitMQ must not restart every pod. */}}
{{- define "holdfast.probes" -}}
ports:
  - { name: health, containerPort: 9464 }
  {{- if .http }}
  - { name: http, containerPort: {{ .http }} }
  {{- end }}
livenessProbe:
  httpGet: { path: /health/live, port: health }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  {{- if .staysInService }}
  httpGet: { path: /health/live, port: http }
  {{- else }}
  httpGet: { path: /health/ready, port: health }
  {{- end }}
  periodSeconds: 5
  timeoutSeconds: 5
{{- if .staysInService }}
lifecycle:
  # Keeps serving until proxies have stopped sending new requests.
  preStop:
    sleep: { seconds: 5 }
{{- end }}
{{- end -}}

{{/* The source of a volume that has one key of a Secret or of a ConfigMap as a file. */}}
{{- define "holdfast.file" -}}
{{- $items := list (dict "key" .from.key "path" .path) -}}
{{- $source := dict "secret" (dict "secretName" .from.secret "items" $items) -}}
{{- if .from.configMap }}{{ $source = dict "configMap" (dict "name" .from.configMap "items" $items) }}{{ end -}}
{{ toJson $source }}
{{- end -}}

{{/* No token, and what the settings say. */}}
{{- define "holdfast.podSpec" -}}
{{- $settings := .settings -}}
{{- $env := include "holdfast.env" (merge (dict "extra" $settings.extraEnv) .) | fromJsonArray -}}
{{- $volumes := concat (.volumes | default list) ($settings.extraVolumes | default list) -}}
{{- $mounts := concat (.mounts | default list) ($settings.extraVolumeMounts | default list) -}}
{{- with .Values.ca }}{{ if or .secret .configMap -}}
{{- $volumes = append $volumes (merge (dict "name" "servers-ca") (include "holdfast.file" (dict "from" . "path" "ca.crt") | fromJson)) -}}
{{- $mounts = append $mounts (dict "name" "servers-ca" "mountPath" "/etc/holdfast/ca" "readOnly" true) -}}
{{- end }}{{ end -}}
{{- if .knowsWho }}{{ with .Values.access }}{{ if or .secret .configMap -}}
{{- $volumes = append $volumes (merge (dict "name" "access") (include "holdfast.file" (dict "from" . "path" "access.yaml") | fromJson)) -}}
{{- $mounts = append $mounts (dict "name" "access" "mountPath" "/etc/holdfast/access" "readOnly" true) -}}
{{- end }}{{ end }}{{ end -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- if not .runs }}
restartPolicy: Never
{{- end }}
{{- with include "holdfast.accountName" . }}
serviceAccountName: {{ . }}
{{- end }}
{{- with $settings.podSecurityContext }}
securityContext: {{ toJson . }}
{{- end }}
{{- range $name := list "imagePullSecrets" "nodeSelector" "tolerations" "affinity" "priorityClassName" "runtimeClassName" "dnsPolicy" "dnsConfig" "hostAliases" }}
{{- with get $settings $name }}
{{ $name }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- if .runs }}
# Longer than a preStop hook and SHUTDOWN_GRACE together: a service finishes its steps in progress.
terminationGracePeriodSeconds: {{ $settings.terminationGracePeriodSeconds }}
{{- with $settings.topologySpreadConstraints }}
topologySpreadConstraints: {{ toJson . }}
{{- end }}
{{- end }}
{{- with $settings.extraInitContainers }}
initContainers: {{ toJson . }}
{{- end }}
containers:
  - name: service
    image: {{ .image }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    {{- with .command }}
    command: {{ toJson . }}
    {{- end }}
    {{- with .args }}
    args: {{ toJson . }}
    {{- end }}
    {{- with $env }}
    env: {{ toJson . }}
    {{- end }}
    {{- with concat (.envFrom | default list) ($settings.extraEnvFrom | default list) }}
    envFrom: {{ toJson . }}
    {{- end }}
    {{- with $settings.containerSecurityContext }}
    securityContext: {{ toJson . }}
    {{- end }}
    {{- with $settings.resources }}
    resources: {{ toJson . }}
    {{- end }}
    {{- with $mounts }}
    volumeMounts: {{ toJson . }}
    {{- end }}
    {{- if and .runs (not .foreign) }}
    {{- include "holdfast.probes" . | nindent 4 }}
    {{- end }}
  {{- range $settings.extraContainers }}
  - {{ toJson . }}
  {{- end }}
{{- with $volumes }}
volumes: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* The pods of a workload: labels, annotations and what runs in them. */}}
{{- define "holdfast.template" -}}
{{- $settings := include "holdfast.settings" . | fromJson -}}
{{- $annotations := dict -}}
{{- if and .runs .Values.metrics.annotations (not .foreign) -}}
{{- $annotations = dict "prometheus.io/scrape" "true" "prometheus.io/port" "9464" "prometheus.io/path" "/metrics" -}}
{{- end -}}
metadata:
  labels: {{ toJson (merge (include "holdfast.labels" . | fromYaml) ($settings.podLabels | default dict)) }}
  {{- with merge (dict) ($settings.podAnnotations | default dict) $annotations }}
  annotations: {{ toJson . }}
  {{- end }}
spec:
  {{- include "holdfast.podSpec" (merge (dict "settings" $settings) .) | nindent 2 }}
{{- end -}}

{{/* A service that runs for ever. */}}
{{- define "holdfast.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  {{- include "holdfast.metadata" . | nindent 2 }}
spec:
  {{- if hasKey . "replicas" }}
  replicas: {{ .replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels: { app.kubernetes.io/name: {{ .name }} }
  template:
    {{- include "holdfast.template" (merge (dict "runs" true) .) | nindent 4 }}
---
# A node drain evicts one pod at a time. Pods that are not ready may be evicted at any time.
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  {{- include "holdfast.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: { app.kubernetes.io/name: {{ .name }} }
{{- if .range }}
---
{{- if .keda }}
{{ include "holdfast.scaledObject" . }}
{{- else }}
{{- if eq (int .range.min) 0 }}{{ fail (printf "%s: min: 0 needs keda.enabled, since Kubernetes itself keeps one pod at least" .name) }}{{ end }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .name }}
  {{- include "holdfast.metadata" . | nindent 2 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .name }} }
  minReplicas: {{ .range.min }}
  maxReplicas: {{ .range.max }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: AverageValue, averageValue: {{ .range.averageCpu | default "700m" }} }
{{- end }}
{{- end }}
{{- if .http }}
---
{{ include "holdfast.service" . }}
{{- end }}
{{- include "holdfast.ownAccount" . }}
{{- end -}}

{{/* The account of a pod: of its own section, or that of all. A hook comes before the accounts that the chart makes. */}}
{{- define "holdfast.accountName" -}}
{{- $name := "" -}}
{{- $all := .Values.serviceAccount -}}
{{- if or (not $all.create) (not (hasKey . "deadline")) -}}
{{- $name = .Values.serviceAccountName | default (ternary "holdfast" "" $all.create) -}}
{{- end -}}
{{- range .own }}{{ $name = .serviceAccountName | default $name }}{{ end -}}
{{- $own := last .own -}}
{{- if and ($own.serviceAccount | default dict).create (not $own.serviceAccountName) }}{{ $name = .name }}{{ end -}}
{{ $name }}
{{- end -}}

{{- define "holdfast.ownAccount" -}}
{{- $own := last .own -}}
{{- $account := $own.serviceAccount | default dict }}
{{- if $account.create }}
---
{{ include "holdfast.serviceAccount" (merge (dict "account" $account "accountName" ($own.serviceAccountName | default .name)) .) }}
{{- end }}
{{- end -}}

{{- define "holdfast.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .accountName }}
  {{- include "holdfast.metadata" (dict "Values" .Values "name" .name "annotations" .account.annotations) | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}

{{/* What stands behind the name of the Service of operations in a URL. */}}
{{- define "holdfast.operationsPort" -}}
{{- $port := (.Values.operations.service | default dict).port | default .Values.service.port | default 80 -}}
{{- if ne (int $port) 80 }}:{{ $port }}{{ end -}}
{{- end -}}

{{/* The Service, and what leads to it from outside of the cluster. */}}
{{- define "holdfast.service" -}}
{{- $own := last .own -}}
{{- $service := include "holdfast.merged" (dict "base" .Values.service "over" ($own.service | default dict)) | fromJson -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  {{- include "holdfast.metadata" (dict "Values" .Values "name" .name "annotations" $service.annotations) | nindent 2 }}
spec:
  {{- with omit $service "annotations" "port" }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  selector: { app.kubernetes.io/name: {{ .name }} }
  ports:
    - { name: http, port: {{ $service.port | default 80 }}, targetPort: http }
{{- with $own.ingress }}{{ if .enabled }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ $.name }}
  {{- include "holdfast.metadata" (dict "Values" $.Values "name" $.name "annotations" .annotations) | nindent 2 }}
spec:
  {{- with .className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with .tls }}
  tls: {{ toJson . }}
  {{- end }}
  rules:
    {{- range .hosts | default (list "") }}
    - {{ with . }}host: {{ . | quote }}
      {{ end }}http:
        paths:
          - path: {{ $own.ingress.path | default "/" }}
            pathType: Prefix
            backend:
              service: { name: {{ $.name }}, port: { name: http } }
    {{- end }}
{{- end }}{{ end }}
{{- with $own.httpRoute }}{{ if .enabled }}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: {{ $.name }}
  {{- include "holdfast.metadata" (dict "Values" $.Values "name" $.name "annotations" .annotations) | nindent 2 }}
spec:
  parentRefs: {{ toJson .parentRefs }}
  {{- with .hostnames }}
  hostnames: {{ toJson . }}
  {{- end }}
  rules:
    - matches: [{ path: { type: PathPrefix, value: {{ .path | default "/" }} } }]
      backendRefs: [{ name: {{ $.name }}, port: {{ $service.port | default 80 }} }]
{{- end }}{{ end }}
{{- end -}}

{{/*
Scales an Agent by the steps that wait for it and those that are in flight, for each slot: the queue is kept short, so its
length says nothing (docs/decisions/0081-capacity.md). Each Scheduler exposes what all have, hence max.
*/}}
{{- define "holdfast.scaledObject" -}}
{{- $keda := .Values.keda -}}
{{- if not $keda.serverAddress }}{{ fail "keda.serverAddress: name the Prometheus that scrapes these pods, such as http://prometheus-operated.monitoring:9090" }}{{ end -}}
{{- $more := ternary (printf ",%s" $keda.matchers) "" (ne $keda.matchers "") -}}
{{- $due := printf `sum(max by (lane) (holdfast_due_steps{lane=~"%s"%s}))` (join "|" .lanes) $more -}}
{{- $inFlight := printf `sum(max by (agent) (holdfast_agent_in_flight_steps{agent="%s"%s}))` .agentName $more -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ .name }}
  {{- include "holdfast.metadata" . | nindent 2 }}
spec:
  scaleTargetRef: { name: {{ .name }} }
  minReplicaCount: {{ .range.min }}
  maxReplicaCount: {{ .range.max }}
  pollingInterval: {{ $keda.pollingInterval }}
  # Used while Prometheus cannot be asked, or has no such series.
  fallback: { failureThreshold: 3, replicas: {{ $keda.fallbackReplicas }} }
  triggers:
    - type: prometheus
      {{- with $keda.authenticationRef }}
      authenticationRef: {{ toJson . }}
      {{- end }}
      metadata:
        serverAddress: {{ $keda.serverAddress }}
        query: {{ printf "%s + %s" $due $inFlight | squote }}
        threshold: {{ divf (mulf .slots $keda.utilization) 100 | toString | quote }}
        ignoreNullValues: "false"
{{- end -}}

{{/* What the platform's own scheduler starts. The next time tries again what failed. */}}
{{- define "holdfast.cronJob" -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ .name }}
  {{- include "holdfast.metadata" . | nindent 2 }}
spec:
  schedule: {{ .schedule | quote }}
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 60
  successfulJobsHistoryLimit: 1
  failedJobsHistoryLimit: 3
  jobTemplate:
    spec:
      backoffLimit: 0
      activeDeadlineSeconds: 300
      template:
        {{- include "holdfast.template" . | nindent 8 }}
{{- include "holdfast.ownAccount" . }}
{{- end -}}

{{/* What runs before each install and upgrade. It can use no account that this release makes. */}}
{{- define "holdfast.hook" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .name }}
  {{- include "holdfast.metadata" (merge (dict "annotations" (dict "helm.sh/hook" "pre-install,pre-upgrade"
    "helm.sh/hook-delete-policy" "before-hook-creation")) .) | nindent 2 }}
spec:
  backoffLimit: 6
  activeDeadlineSeconds: {{ .deadline }}
  ttlSecondsAfterFinished: 86400
  {{- if .failsAt }}
  podFailurePolicy:
    rules:
      - action: FailJob
        onExitCodes: { containerName: service, operator: In, values: [{{ .failsAt }}] }
  {{- end }}
  template:
    {{- include "holdfast.template" . | nindent 4 }}
{{- end -}}
