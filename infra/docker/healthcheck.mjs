// Asks for readiness, not liveness: Docker restarts nobody over the answer, but `depends_on` and
// `up --wait` rely on it. Kubernetes ignores this file and probes both.
const url = `http://127.0.0.1:${process.env.HEALTH_PORT}/health/ready`;
const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
process.stdout.write(await response.text());
process.exit(response.ok ? 0 : 1);
