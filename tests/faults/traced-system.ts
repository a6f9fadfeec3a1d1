import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { fulfilOrder, type SampleKind, sampleOrder } from "@holdfast/orders";
import { withLimits } from "@holdfast/processes";
import { expect } from "@jest/globals";
import { openCollector } from "./collector.ts";
import { type FaultySystem, startFaultySystem } from "./faulty-system.ts";

/** The usual workflow, with limits that a test can wait for. */
export const quickly = withLimits(fulfilOrder.definition, {
  name: "fulfil-order-traced.v1",
  limits: {
    startWithin: 3_000,
    completeWithin: 3_000,
    retry: { failures: 20, backoff: 100, max: 500 },
  },
});

/** A caller's trace. `mayLose`: an Agent is killed that has spans of it. */
export function newCaller({ mayLose = false }: { readonly mayLose?: boolean } = {}) {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01`, mayLose };
}

interface TracedSystemOptions {
  readonly behaviour?: Parameters<typeof openCollector>[0];
  readonly forging?: boolean;
}

/** The whole system with traces on, a collector, and a recorder before the partners. */
export async function startTraced({
  behaviour = "keep",
  forging = false,
}: TracedSystemOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const collector = stack.use(await openCollector(behaviour));
  const { env } = collector;
  const services = ["submission", "scheduler", "supervisor", "agent"] as const;
  const faulty = stack.use(
    await startFaultySystem({
      apart: "all",
      forging,
      count: { agent: 0 },
      env: Object.fromEntries(services.map((name) => [name, { ...env, EVENTS: "on" }])),
    }),
  );
  const recorder = stack.use(await openRecorder(faulty.system.partnersUrl));
  const startAgent = () => faulty.system.start("agent", { PARTNERS_URL: recorder.url });
  const agent = await startAgent();
  await faulty.store.registerWorkflow(quickly);
  const owned = stack.move();
  return {
    collector,
    faulty,
    recorder,
    agent,
    startAgent,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Submits an order over HTTP. Resolves to its id. */
export async function submit(
  { system }: FaultySystem,
  kind: SampleKind,
  headers: Readonly<Record<string, string>>,
  replyTo?: string,
): Promise<string> {
  const response = await fetch(`${system.submissionUrl}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({
      workflow: quickly.name,
      input: sampleOrder({ kind }),
      ...(replyTo === undefined ? {} : { replyTo }),
    }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { readonly id: string }).id;
}

interface RemoteCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

interface Recorder extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly RemoteCall[];
}

/** Stands before the partners, and notes what reaches them. */
async function openRecorder(target: string): Promise<Recorder> {
  const calls: RemoteCall[] = [];
  const server = createServer((incoming, response) => {
    const { method = "", url: path = "", headers } = incoming;
    calls.push({ method, path, headers });
    const forwarded = httpRequest(new URL(path, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    incoming.pipe(forwarded);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
