import type { ServerResponse } from "node:http";
import { listenAt } from "../http/listen-at.ts";
import type { ExposedMetrics } from "../metrics/open-metrics.ts";
import { type Clock, systemClock } from "../time/clock.ts";

export interface HealthReport {
  readonly status: 200 | 503;
  readonly body: { readonly ready: boolean; readonly failing: readonly string[] };
}

/** Whether a service lives, and whether it can work. */
export interface Health {
  /**
   * Registers something without which the service cannot work. A text says what is wrong with it;
   * where it is only known not to be well, `why` says what is known of that.
   */
  check(name: string, isWell: Check, why?: () => string | null): void;
  /** Says that the process turns over, and nothing else: an outage must not restart the fleet. */
  live(): HealthReport;
  /** Asks every check, and each gets two seconds. Says the same for a second: anybody may ask. */
  ready(): Promise<HealthReport>;
  /** Asks the checks of `ready`, and says by their names whether each is well. */
  checks(): Promise<ReadonlyMap<string, boolean>>;
}

const timeout = 2_000;
/** How long an answer of the checks stands, in milliseconds. */
const cachedFor = 1_000;

/** Whether something is well; a text: it is not, and that is why. */
type Check = () => boolean | string | Promise<boolean>;

export function openHealth(signal: AbortSignal, clock: Pick<Clock, "now"> = systemClock): Health {
  const checks = new Map<string, () => Promise<boolean | string>>();
  let cached: { readonly askedAt: number; readonly answers: Promise<Answers> } | null = null;

  const askAll = async (): Promise<Answers> =>
    Promise.all([...checks].map(async ([name, check]) => [name, await check()] as const));

  const ask = async (): Promise<Answers> => {
    const now = clock.now();
    if (cached === null || now - cached.askedAt >= cachedFor) {
      cached = { askedAt: now, answers: askAll() };
    }
    return await cached.answers;
  };

  return {
    check(name, isWell, why = () => null) {
      checks.set(name, async () => (await inTime(isWell)) || (why() ?? false));
      cached = null;
    },
    live: () => ({ status: 200, body: { ready: true, failing: [] } }),
    async ready() {
      const results = (await ask()).flatMap(failureOf);
      // A service registers its checks while it starts: without any it has not got that far.
      const starting = checks.size === 0 ? ["starting"] : [];
      const stopping = signal.aborted ? ["stopping"] : [];
      const failing = [...starting, ...stopping, ...results];
      const ready = failing.length === 0;
      return { status: ready ? 200 : 503, body: { ready, failing } };
    },
    checks: async () => new Map((await ask()).map(([name, answer]) => [name, answer === true])),
  };
}

/** The answers of the checks, each with the name of its check. */
type Answers = readonly (readonly [name: string, answer: boolean | string])[];

const failureOf = ([name, answer]: Answers[number]): readonly string[] => {
  if (answer === true) return [];
  return [answer === false ? name : `${name}: ${answer}`];
};

async function inTime(isWell: Check): Promise<boolean | string> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), timeout);
  try {
    return await Promise.race([late, isWell()]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** A probe is a few bytes: a client that takes longer only holds the connection. */
const limits = { connections: 200, requestTimeout: 5_000, addressShare: 25 };

interface ProbeOptions {
  readonly host: string;
  /** The port; 0: no server. */
  readonly port: number;
  /** What `/metrics` answers; without it there is no such route. */
  readonly metrics?: Pick<ExposedMetrics, "scrape">;
}

/** Answers the probes of Docker and Kubernetes, and the scrapes of Prometheus. */
export async function serveHealth(
  health: Health,
  { host, port, metrics }: ProbeOptions,
): Promise<AsyncDisposable> {
  if (port === 0) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  // An ES module that imports it loads all that Node has for HTTP, which a process without probes
  // need not wait for.
  const { openGuard } = await import("../http/guarded-server.ts");
  const server = openGuard(limits).server((request, response) => {
    const isScrape = metrics !== undefined && request.url === "/metrics";
    void (isScrape ? expose(metrics, response) : respond(health, request.url, response));
  });
  await listenAt(host, async (address) => {
    const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject).listen(port, address, resolve);
    await listening;
  });
  return {
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: done } = Promise.withResolvers<void>();
      server.close(() => done());
      server.closeAllConnections();
      await closed;
    },
  };
}

async function expose(
  metrics: Pick<ExposedMetrics, "scrape">,
  response: ServerResponse,
): Promise<void> {
  const { contentType, text } = await metrics.scrape();
  response.writeHead(200, { "content-type": contentType });
  response.end(text);
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
