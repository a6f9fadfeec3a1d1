import { createServer, type ServerResponse } from "node:http";

export interface HealthReport {
  readonly status: 200 | 503;
  readonly body: { readonly ready: boolean; readonly failing: readonly string[] };
}

/** Whether a service lives, and whether it can work. */
export interface Health {
  /** Registers something without which the service cannot work. */
  check(name: string, isWell: () => boolean | Promise<boolean>): void;
  /** Says that the process turns over, and nothing else: an outage must not restart the fleet. */
  live(): HealthReport;
  /** Asks every check, and each gets two seconds. */
  ready(): Promise<HealthReport>;
}

const patience = 2_000;

export function openHealth(signal: AbortSignal): Health {
  const checks = new Map<string, () => boolean | Promise<boolean>>();
  return {
    check: (name, isWell) => void checks.set(name, isWell),
    live: () => ({ status: 200, body: { ready: true, failing: [] } }),
    async ready() {
      const results = await Promise.all(
        [...checks].map(async ([name, isWell]) => ((await inTime(isWell)) ? [] : [name])),
      );
      // Whoever has nothing to be asked about has not come so far yet.
      const starting = checks.size === 0 ? ["starting"] : [];
      const stopping = signal.aborted ? ["stopping"] : [];
      const failing = [...starting, ...stopping, ...results.flat()];
      const ready = failing.length === 0;
      return { status: ready ? 200 : 503, body: { ready, failing } };
    },
  };
}

async function inTime(isWell: () => boolean | Promise<boolean>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), patience);
  try {
    return await Promise.race([late, isWell()]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Answers the probes of Docker and Kubernetes. Port 0: no server. */
export async function serveHealth(
  health: Health,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<AsyncDisposable> {
  if (port === 0) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const server = createServer((request, response) => {
    void respond(health, request.url, response);
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(port, host, resolve);
  await listening;
  return {
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: done } = Promise.withResolvers<void>();
      server.close(() => done());
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  health: Health,
  url: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const report = await reportFor(health, url);
  response.writeHead(report?.status ?? 404, { "content-type": "application/json" });
  response.end(JSON.stringify(report?.body ?? { error: "not found" }));
}

async function reportFor(health: Health, url: string | undefined): Promise<HealthReport | null> {
  if (url === "/health/live") return health.live();
  return url === "/health/ready" ? await health.ready() : null;
}
