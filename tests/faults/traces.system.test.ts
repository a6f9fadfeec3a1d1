import { randomUUID } from "node:crypto";
import { askBroker } from "@holdfast/local-stack";
import { sampleOrder } from "@holdfast/orders";
import { setFaultSettings } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import type { CollectedSpan } from "./collector.ts";
import { allRight, type FaultySystem, until } from "./faulty-system.ts";
import { publish } from "./publish.ts";
import { childrenOf, followAttempt, only, tracesIn } from "./trace-tree.ts";
import { newCaller, quickly, startTraced, submit } from "./traced-system.ts";

const attemptsAt = async (faulty: FaultySystem, id: string, step: string): Promise<number> => {
  const [row] = await faulty.query<{ attempt: number }>(
    `select attempt from state.steps where task_id = '${id}' and name = '${step}'`,
  );
  return row?.attempt ?? 0;
};

test("each order is one trace: over a retry, an undo, and an Agent that is killed", async () => {
  await using traced = await startTraced();
  const { faulty, recorder, agent, startAgent, collector } = traced;
  const traces = tracesIn(collector);
  const { spansOf, orphansOf } = traces;
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
  await traces.collected(retried, [...ends, "claim confirm"]);
  await traces.collected(byMessage, [...ends, "claim confirm"]);
  await traces.collected(undone, [...ends, "claim reserve:undo", "send holdfast.status"]);

  await setFaultSettings(system, "inventory", { latencyMs: 60_000 });
  const recoveredId = await submit(faulty, "good", { traceparent: recovered.traceparent });
  const reached = () =>
    recorder.calls.some(({ headers }) => headers["traceparent"]?.includes(recovered.traceId));
  await until(reached);
  // Frozen first: a request that RabbitMQ gets back from a dead Agent expires, and is requeued
  // without a Supervisor.
  agent.signal("SIGSTOP");
  await faulty.said("step expired", "supervisor");
  agent.signal("SIGKILL");
  await agent.exited;
  await setFaultSettings(system, "inventory", {});
  await startAgent();
  expect(await faulty.verdict([recoveredId])).toEqual(allRight({ processed: 1, undone: 0 }));

  await traces.collected(recovered, ["recover reserve", "claim confirm", "send holdfast.events"]);
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
    await using traced = await startTraced({ behaviour });
    const { faulty, collector } = traced;
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
  await using traced = await startTraced({ forging: true });
  const { faulty, collector } = traced;
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
