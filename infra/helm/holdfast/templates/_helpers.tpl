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

{{/* No rights, no writable root, no token. */}}
{{- define "holdfast.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "holdfast.container" -}}
name: service
image: {{ .image }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- with .command }}
command: {{ toJson . }}
{{- end }}
{{- with .args }}
args: {{ toJson . }}
{{- end }}
{{- if or .env .secrets }}
env:
  {{- range $name, $value := .env }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
  {{- $secret := .secret }}
  {{- range .secrets }}
  - name: {{ . }}
    valueFrom:
      secretKeyRef: { name: {{ $secret }}, key: {{ . }} }
  {{- end }}
  {{- if and .traced .Values.tracing.headersSecret }}
  - name: OTEL_EXPORTER_OTLP_HEADERS
    valueFrom:
      secretKeyRef: { name: {{ .Values.tracing.headersSecret }}, key: OTEL_EXPORTER_OTLP_HEADERS }
  {{- end }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{ toJson .resources }}
{{- end -}}

{{/* A service that runs for ever. The liveness probe checks the process only: an outage of Postgres or RabbitMQ must not restart every pod. */}}
{{- define "holdfast.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  labels: {{- include "holdfast.labels" . | nindent 4 }}
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
    metadata:
      labels: {{- include "holdfast.labels" . | nindent 8 }}
      {{- if and .Values.metrics.annotations (not .foreign) }}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "9464"
        prometheus.io/path: /metrics
      {{- end }}
    spec:
      {{- include "holdfast.pod" . | nindent 6 }}
      # Longer than a preStop hook and SHUTDOWN_GRACE together: a service finishes its steps in progress.
      terminationGracePeriodSeconds: 30
      topologySpreadConstraints:
        - topologyKey: kubernetes.io/hostname
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: { app.kubernetes.io/part-of: holdfast }
          matchLabelKeys: [app.kubernetes.io/name, pod-template-hash]
      containers:
        - {{- include "holdfast.container" . | nindent 10 }}
          {{- if not .foreign }}
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
          {{- end }}
---
# A node drain evicts one pod at a time. Pods that are not ready may be evicted at any time.
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  labels: {{- include "holdfast.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: { app.kubernetes.io/name: {{ .name }} }
{{- if .range }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .name }}
  labels: {{- include "holdfast.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .name }} }
  minReplicas: {{ .range.min }}
  maxReplicas: {{ .range.max }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: AverageValue, averageValue: 700m }
{{- end }}
{{- if .http }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  labels: {{- include "holdfast.labels" . | nindent 4 }}
spec:
  selector: { app.kubernetes.io/name: {{ .name }} }
  ports:
    - { name: http, port: 80, targetPort: http }
{{- end }}
{{- end -}}

{{/* What the platform's own scheduler starts. The next time tries again what failed. */}}
{{- define "holdfast.cronJob" -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ .name }}
  labels: {{- include "holdfast.labels" . | nindent 4 }}
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
        metadata:
          labels: {{- include "holdfast.labels" . | nindent 12 }}
        spec:
          restartPolicy: Never
          {{- include "holdfast.pod" . | nindent 10 }}
          containers:
            - {{- include "holdfast.container" . | nindent 14 }}
{{- end -}}
