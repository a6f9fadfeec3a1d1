# Asks for readiness, not liveness: Docker restarts no container because of it, but `depends_on` and `up --wait`
# rely on it. In bash, since a Node each time costs the whole stack a third of a core. Kubernetes ignores this
# file and probes both.
exec 3<>"/dev/tcp/127.0.0.1/$HEALTH_PORT" || exit 1
printf 'GET /health/ready HTTP/1.0\r\n\r\n' >&3
answer=$(timeout 5 cat <&3)
printf '%s\n' "${answer##*$'\n'}"
[[ $answer == 'HTTP/1.1 200 '* ]]
