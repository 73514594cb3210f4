{{/* Name of all objects. */}}
{{- define "lectern.name" -}}
{{- if contains "lectern" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-lectern" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "lectern.selector" -}}
app.kubernetes.io/name: lectern
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "lectern.labels" -}}
{{ include "lectern.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "lectern.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "lectern.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{/* Setup runs before the objects of the release exist, so that it has its own. */}}
{{- define "lectern.setupAccount" -}}
{{- include "lectern.serviceAccount" . }}{{ if .Values.serviceAccount.create }}-setup{{ end }}
{{- end }}

{{/* Secret with the Meilisearch keys of api and workers. */}}
{{- define "lectern.meilisearchKeys" -}}
{{- .Values.meilisearchKeys | default (printf "%s-meilisearch" (include "lectern.name" .)) }}
{{- end }}

{{/* Seconds that a Pod has to stop: more than the process takes. */}}
{{- define "lectern.gracePeriod" -}}
{{- add (int .Values.settings.SHUTDOWN_GRACE_SECONDS) 30 }}
{{- end }}

{{/* Annotations of an object that setup needs. */}}
{{- define "lectern.hook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: {{ .delete | default "before-hook-creation" }}
{{- end }}

{{/* The settings of a component; `root` is the chart's scope, `own` has those of the component. */}}
{{- define "lectern.env" -}}
{{- $blobs := .root.Values.blobs.existingClaim }}
{{- $own := dict "HOST" "0.0.0.0" "DATA_DIR" "/data" "DATABASE_URL_FILE" "/run/secrets/lectern/database-url" "ENCRYPTION_KEYS_FILE" "/run/secrets/lectern/encryption-keys" }}
{{- if $blobs }}{{ $_ := set $own "BLOB_URL" "file:///blobs" }}{{ end }}
{{- with .root.Values.certificates }}{{ if or .configMap .secret }}{{ $_ := set $own "NODE_EXTRA_CA_CERTS" "/run/certificates/ca.crt" }}{{ end }}{{ end }}
{{- range $name, $value := mergeOverwrite (dict) .root.Values.settings $own .own }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $from := .root.Values.secretSettings }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $from.name | quote }}, key: {{ $from.key | quote }} }
{{- end }}
{{- end }}

{{- define "lectern.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "lectern.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "lectern.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets/lectern, readOnly: true }
- { name: keys, mountPath: /run/lectern{{ if ne .component "setup" }}, readOnly: true{{ end }} }
{{- if .root.Values.blobs.existingClaim }}
- { name: blobs, mountPath: /blobs }
{{- end }}
{{- with .root.Values.certificates }}{{ if or .configMap .secret }}
- { name: certificates, mountPath: /run/certificates, readOnly: true }
{{- end }}{{ end }}
{{- if eq .component "worker-browser" }}
- { name: shm, mountPath: /dev/shm }
{{- end }}
{{- end }}

{{/* What all Pods have: `component`, `account`, `dataSize`, and `secrets`, the keys of the Secret that it gets. */}}
{{- define "lectern.pod" -}}
{{- $values := .root.Values }}
serviceAccountName: {{ .account }}
enableServiceLinks: false
{{- with $values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- range $name := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with index $values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- if ne .component "setup" }}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "lectern.selector" $.root | nindent 8 }}
        app.kubernetes.io/component: {{ $.component }}
  {{- end }}
{{- end }}
volumes:
  - name: data
    emptyDir: { sizeLimit: {{ .dataSize }} }
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
  - name: secrets
    secret:
      secretName: {{ $values.secret }}
      defaultMode: 0440
      items:
        {{- range $key := concat (list "database-url" "encryption-keys") .secrets }}
        - { key: {{ $key }}, path: {{ $key }} }
        {{- end }}
  - name: keys
    {{- if eq .component "setup" }}
    emptyDir: { medium: Memory, sizeLimit: 1Mi }
    {{- else }}
    secret:
      secretName: {{ include "lectern.meilisearchKeys" .root }}
      defaultMode: 0440
      items: [{ key: {{ ternary "api" "worker" (eq .component "api") }}, path: meili.key }]
    {{- end }}
  {{- with $values.blobs.existingClaim }}
  - name: blobs
    persistentVolumeClaim: { claimName: {{ . }} }
  {{- end }}
  {{- with $values.certificates.configMap }}
  - name: certificates
    configMap: { name: {{ . }} }
  {{- else }}{{ with $values.certificates.secret }}
  - name: certificates
    secret: { secretName: {{ . }}, items: [{ key: ca.crt, path: ca.crt }] }
  {{- end }}{{ end }}
  {{- if eq .component "worker-browser" }}
  # Chromium keeps pages in it.
  - name: shm
    emptyDir: { medium: Memory, sizeLimit: 1Gi }
  {{- end }}
{{- end }}

{{/* Probes by the program's own routes. Without Temporal the API stays ready, as it answers reads. */}}
{{- define "lectern.probes" -}}
startupProbe:
  httpGet: { path: /api/health, port: http }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /api/health, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /api/ready, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
{{- end }}
