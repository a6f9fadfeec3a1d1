import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { askBroker } from "@holdfast/local-stack";
import { fulfilOrder, type SampleKind, sampleOrder } from "@holdfast/orders";
import { setFaultSettings, withLimits } from "@holdfast/processes";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type CollectedSpan, type Collector, openCollector } from "./collector.ts";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { publish } from "./publish.ts";

const quickly = withLimits(fulfilOrder.definition, {
  name: "fulfil-order-traced.v1",
  limits: {
    startWithin: 3_000,
    completeWithin: 3_000,
    retry: { failures: 20, backoff: 100, max: 500 },
  },
});

interface RemoteCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** Stands before the partners, and notes what reaches them. */
async function openRecorder(target: string) {
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

/** A caller's trace. `mayLose`: an Agent is killed that has spans of it. */
function newCaller({ mayLose = false }: { readonly mayLose?: boolean } = {}) {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01`, mayLose };
}

let parts: AsyncDisposableStack;
let collector: Collector;

beforeEach(() => {
  parts = new AsyncDisposableStack();
});

afterEach(async () => {
  await parts.disposeAsync();
});

async function startTraced({
  behaviour = "keep",
  forging = false,
}: {
  readonly behaviour?: Parameters<typeof openCollector>[0];
  readonly forging?: boolean;
} = {}) {
  collector = parts.use(await openCollector(behaviour));
  const { env } = collector;
  const services = ["submission", "scheduler", "supervisor", "agent"] as const;
  const faulty = parts.use(
    await startFaultySystem({
      forging,
      count: { agent: 0 },
      env: Object.fromEntries(services.map((name) => [name, { ...env, EVENTS: "on" }])),
    }),
  );
  const recorder = parts.use(await openRecorder(faulty.system.partnersUrl));
  const startAgent = () => faulty.system.start("agent", { PARTNERS_URL: recorder.url });
  const agent = await startAgent();
  await faulty.store.registerWorkflow(quickly);
  return { faulty, recorder, agent, startAgent };
}

/** Submits an order over HTTP. Resolves to its id. */
async function submit(
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

const attemptsAt = async (faulty: FaultySystem, id: string, step: string): Promise<number> => {
  const [row] = await faulty.query<{ attempt: number }>(
    `select attempt from state.steps where task_id = '${id}' and name = '${step}'`,
  );
  return row?.attempt ?? 0;
};

type Caller = ReturnType<typeof newCaller>;

const spansOf = ({ traceId }: Caller) => collector.spans.filter((span) => span.traceId === traceId);

/** The spans whose parents are missing. */
function orphansOf(caller: Caller): readonly CollectedSpan[] {
  const spans = spansOf(caller);
  const known = new Set([caller.spanId, ...spans.map(({ spanId }) => spanId)]);
  return spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
}

/** Resolves once the collector has these spans of a trace, and the parent of each. */
async function collected(caller: Caller, names: readonly string[]): Promise<void> {
  const isThere = (name: string) => spansOf(caller).some((span) => span.name === name);
  await until(
    () => names.every(isThere) && (orphansOf(caller).length === 0 || caller.mayLose),
    100,
  );
}

const only = (spans: readonly CollectedSpan[], name: string, attempt?: number): CollectedSpan => {
  const found = spans.filter(
    (span) =>
      span.name === name &&
      (attempt === undefined || span.attributes["holdfast.attempt"] === String(attempt)),
  );
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!;
};

const childrenOf = (spans: readonly CollectedSpan[], parent: CollectedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

/** Follows one attempt from its claim to the reply, and returns the calls of the remote service. */
function followAttempt(
  spans: readonly CollectedSpan[],
  { step, attempt, agent }: { step: string; attempt: number; agent: string },
): readonly CollectedSpan[] {
  const claim = only(spans, `claim ${step}`, attempt);
  const [send] = childrenOf(spans, claim).filter(({ name }) => name === "send holdfast.requests");
  const [work] = childrenOf(spans, send!);
  expect(work).toMatchObject({ name: `process agent.${agent}`, service: "holdfast-agent" });
  const below = childrenOf(spans, work!);
  const [reply] = below.filter(({ name }) => name === "send holdfast.replies");
  const [recorded] = childrenOf(spans, reply!);
  expect(recorded).toMatchObject({
    name: "process scheduler.replies",
    service: "holdfast-scheduler",
    attributes: { "holdfast.step": step, "holdfast.attempt": String(attempt) },
  });
  const calls = below.filter(({ name }) => name !== "send holdfast.replies");
  return calls.flatMap((call) => childrenOf(spans, call));
}

test("each order is one trace: over a retry, an undo, and an Agent that is killed", async () => {
  const { faulty, recorder, agent, startAgent } = await startTraced();
  const { system } = faulty;
  const callers = [newCaller(), newCaller(), newCaller({ mayLose: true }), newCaller()] as const;
  const [retried, undone, recovered, byMessage] = callers;
  await askBroker(faulty.broker?.url ?? "", async (channel) => {
    await channel.assertQueue("status.traces", { durable: true });
  });

  // One attempt fails for a while that every try of it outlasts.
  await setFaultSettings(system, "payments", { errorRate: 1 });
  const retriedId = await submit(faulty, "good", { traceparent: retried.traceparent });
  await until(async () => (await attemptsAt(faulty, retriedId, "assess-risk")) > 1);
  await setFaultSettings(system, "payments", {});

  const vendor = { traceparent: undone.traceparent, tracestate: "vendor=shop" };
  const undoneId = await submit(faulty, "declined", vendor, "status.traces");
  await publish(faulty, {
    exchange: "holdfast.submissions",
    routingKey: "task.submissions",
    messageId: randomUUID(),
    persistent: true,
    headers: { workflow: quickly.name, traceparent: byMessage.traceparent },
    body: JSON.stringify(sampleOrder({ kind: "good", seed: 1 })),
  });
  const idOfMessage = async () =>
    (
      await faulty.query<{ task_id: string }>(
        `select task_id from state.tasks where trace_context like '%${byMessage.traceId}%'`,
      )
    )[0]?.task_id;
  await until(async () => (await idOfMessage()) !== undefined);
  expect(await faulty.verdict([retriedId, undoneId, (await idOfMessage())!])).toEqual(
    allRight({ processed: 2, undone: 1 }),
  );

  // What the Agent has not sent by the time that it is killed is lost.
  const ends = ["process scheduler.replies", "send holdfast.events"];
  await collected(retried, [...ends, "claim confirm"]);
  await collected(byMessage, [...ends, "claim confirm"]);
  await collected(undone, [...ends, "claim reserve:undo", "send holdfast.status"]);

  await setFaultSettings(system, "inventory", { latencyMs: 60_000 });
  const recoveredId = await submit(faulty, "good", { traceparent: recovered.traceparent });
  const reached = () =>
    recorder.calls.some(({ headers }) => headers["traceparent"]?.includes(recovered.traceId));
  await until(reached);
  // Frozen first: a request that RabbitMQ gets back from a dead Agent expires, and is requeued without a Supervisor.
  agent.signal("SIGSTOP");
  await faulty.said("step expired", "supervisor");
  agent.signal("SIGKILL");
  await agent.exited;
  await setFaultSettings(system, "inventory", {});
  await startAgent();
  expect(await faulty.verdict([recoveredId])).toEqual(allRight({ processed: 1, undone: 0 }));

  await collected(recovered, ["recover reserve", "claim confirm", "send holdfast.events"]);
  // What is sent last is exported within a second.
  await Promise.all(
    [system.running("agent"), system.running("scheduler")]
      .flat()
      .map((one) => one[Symbol.asyncDispose]()),
  );

  for (const caller of callers) {
    const names = orphansOf(caller).map(({ name }) => name);
    expect(names.filter((name) => !caller.mayLose || name !== "process scheduler.replies")).toEqual(
      [],
    );
    const roots = spansOf(caller).filter(({ parentSpanId }) => parentSpanId === caller.spanId);
    expect(roots).toHaveLength(1);
  }
  const all = callers.map(spansOf);

  const [retriedTrace, undoneTrace, recoveredTrace, messageTrace] = all as [
    CollectedSpan[],
    CollectedSpan[],
    CollectedSpan[],
    CollectedSpan[],
  ];
  const root = only(retriedTrace, "POST /v1/tasks");
  expect(root).toMatchObject({ parentSpanId: retried.spanId, service: "holdfast-submission" });
  expect(root.attributes["holdfast.task.id"]).toBe(retriedId);
  expect(childrenOf(retriedTrace, root).map(({ name }) => name)).toContain("INSERT state.tasks");
  expect(only(messageTrace, "process task.submissions").parentSpanId).toBe(byMessage.spanId);

  // The retry links to the attempt before, and the remote service got the span of its own call.
  const payments = { step: "assess-risk", agent: "payments" };
  const first = followAttempt(retriedTrace, { ...payments, attempt: 1 });
  expect(first.length).toBeGreaterThan(0);
  for (const call of first) expect(call.hasFailed).toBe(true);
  const claims = [1, 2].map((attempt) => only(retriedTrace, "claim assess-risk", attempt));
  expect(claims[1]?.links).toEqual([claims[0]?.spanId]);
  expect(claims.map(({ parentSpanId }) => parentSpanId)).toEqual([root.spanId, root.spanId]);
  for (const trace of all) {
    const calls = trace.filter(
      ({ attributes }) => "http.request.method" in attributes && !("http.route" in attributes),
    );
    for (const call of calls) {
      const header = `00-${call.traceId}-${call.spanId}-01`;
      expect(
        recorder.calls.filter(({ headers }) => headers["traceparent"] === header),
      ).toHaveLength(1);
    }
  }

  // The undo is in the same trace, and links to what it undoes.
  const undo = only(undoneTrace, "claim reserve:undo", 1);
  expect(undo.links).toEqual([only(undoneTrace, "claim reserve", 1).spanId]);
  const [release] = followAttempt(undoneTrace, {
    step: "reserve:undo",
    attempt: 1,
    agent: "inventory",
  });
  expect(release?.name).toBe("DELETE");
  const released = recorder.calls.find(({ headers }) =>
    headers["traceparent"]?.includes(release!.spanId),
  );
  expect(released?.headers["tracestate"]).toBe("vendor=shop");
  const notified = undoneTrace.filter(({ name }) => name === "send holdfast.status");
  expect(notified.length).toBeGreaterThan(1);

  // The Supervisor's remedy is below the attempt that was silent.
  const silent = only(recoveredTrace, "claim reserve", 1);
  const remedy = only(recoveredTrace, "recover reserve", 1);
  expect(remedy).toMatchObject({ parentSpanId: silent.spanId, service: "holdfast-supervisor" });
  expect(only(recoveredTrace, "claim reserve", 2).links).toEqual([silent.spanId]);

  // The notification carries the trace on, the task and the log say which it is.
  const [status] = await askBroker(faulty.broker?.url ?? "", async (channel) => {
    const message = await channel.get("status.traces", { noAck: true });
    return [message === false ? undefined : message.properties.headers];
  });
  expect(status?.["traceparent"]).toContain(undone.traceId);
  const shown = await fetch(`${system.submissionUrl}/v1/tasks/${undoneId}`);
  expect(await shown.json()).toMatchObject({ traceId: undone.traceId });
  const lines = faulty.log.filter((line) => line["trace_id"] === recovered.traceId);
  expect(lines.map(({ msg }) => msg)).toContain("step expired");
});

test.each(["hang", "fail"] as const)(
  "orders are processed, and services stop in order, while the collector does nothing but %s",
  async (behaviour) => {
    const { faulty } = await startTraced({ behaviour });
    const ids = await Promise.all(
      Array.from({ length: 20 }, () =>
        submit(faulty, "good", { traceparent: newCaller().traceparent }),
      ),
    );
    expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 20, undone: 0 }));
    await until(() => collector.requests() > 0);
    const { processes } = faulty.system;
    await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
    expect(faulty.log.filter(({ msg }) => msg === "shutdown timed out")).toEqual([]);
  },
);

test("a hostile or an unsampled trace is no obstacle to an order", async () => {
  const { faulty } = await startTraced({ forging: true });
  const unsampled = newCaller();
  const state = `a=${"x".repeat(10_000)}`;
  const [first, second, third] = await Promise.all([
    submit(faulty, "good", { traceparent: "00-zz", tracestate: state }),
    submit(faulty, "good", { traceparent: `00-${"0".repeat(32)}-${"0".repeat(16)}-01` }),
    submit(faulty, "good", { traceparent: unsampled.traceparent.replace(/01$/, "00") }),
  ]);
  await publish(faulty, {
    exchange: "holdfast.submissions",
    routingKey: "task.submissions",
    messageId: randomUUID(),
    headers: {
      workflow: quickly.name,
      traceparent: { a: [1, "\0"] },
      tracestate: Buffer.alloc(10_000),
    },
    body: JSON.stringify(sampleOrder({ kind: "good" })),
  });
  const ids = [first, second, third];
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 3, undone: 0 }));
  const count = async () =>
    (await faulty.query<{ n: number }>("select count(*)::integer as n from state.tasks"))[0]?.n;
  await until(async () => (await count()) === 4);
  const [longest] = await faulty.query<{ length: number }>(
    "select max(length(trace_context)) as length from state.tasks",
  );
  expect(longest?.length).toBe(55);
  expect(collector.spans.filter(({ traceId }) => traceId === unsampled.traceId)).toEqual([]);
  const shown = await fetch(`${faulty.system.submissionUrl}/v1/tasks/${third}`);
  expect(await shown.json()).toMatchObject({ traceId: null });
});
