import { type Profiler, Session } from "node:inspector";
import { setTimeout as after } from "node:timers/promises";
import { agentQueue, replyExchange, replyRoute, StepReply, StepRequest } from "@holdfast/contracts";
import type { StepDefinition, WorkflowDefinition } from "@holdfast/domain";
import { askBroker } from "@holdfast/local-stack";
import { connectBroker, type OutgoingMessage } from "@holdfast/messaging";
import { openStateStore } from "@holdfast/state-store";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { type Host, type Ports, runScheduler } from "@holdfast/testing/simulator";
import { expect, test } from "@jest/globals";

/** Replies that are followed. Loops in the background have their turn during some of them, and not during all. */
const replies = 40;
/** Steps of each task: as few as usual, since the Scheduler keeps no large task in its cache. */
const stepsOfTask = 5;

const policy = {
  startWithin: 60_000,
  completeWithin: 60_000,
  retry: { failures: 3, backoff: 1_000, max: 60_000 },
  coolDown: null,
} as const;

/** Each step makes the next one due. */
const steps = Array.from(
  { length: stepsOfTask },
  (_, index): StepDefinition => ({
    ...policy,
    name: `s${index}`,
    agent: "payments",
    operation: "charge",
    input: {},
    after: index === 0 ? [] : [`s${index - 1}`],
    onlyIf: null,
    onFailure: "halt",
    undo: null,
  }),
);

const definition: WorkflowDefinition = {
  format: 1,
  name: "followed.v1",
  inputSchema: {},
  completeWithin: null,
  output: null,
  inputs: {},
  steps,
};

const silent = () => {};
const log = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

/** Counts which functions of this process are called, with V8's profiler. */
function openProfiler() {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return {
    /** The product's files of which a function was called since the last time. */
    take(): ReadonlySet<string> {
      let scripts: readonly Profiler.ScriptCoverage[] = [];
      session.post("Profiler.takePreciseCoverage", (_, { result }) => void (scripts = result));
      const files = scripts.flatMap(({ url, functions }) => {
        const file = /(?<file>(?:packages|services)\/[^/]+\/src\/.*\.ts)$/.exec(url)?.groups?.[
          "file"
        ];
        const isCalled = functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
        return isCalled && file !== undefined ? [file] : [];
      });
      // What measures is not what is measured.
      return new Set(files.filter((file) => !/^packages\/(?:testing|local-stack)\//.test(file)));
    },
    [Symbol.dispose]: () => session.disconnect(),
  };
}

/**
 * How many files a reply may pass, from the delivery of the broker to the commit of its transaction, with the claim in it.
 * They are 56: on a slow machine a loop in the background has its turn during each of the replies, too.
 */
const most = 64;

test("a reply passes few files from its delivery to the commit, with the claim inside", async () => {
  await using database = await migratedDatabase();
  await using vhost = await testBroker();
  await using store = await openStateStore({
    url: database.url,
    applicationName: "followed",
    maxConnections: 6,
  });
  await store.registerWorkflow(definition);
  await using broker = await connectBroker({
    url: vhost.url,
    name: "followed",
    topology: "declare",
    agents: ["payments"],
    log,
  });
  using profiler = openProfiler();
  let committed = Promise.withResolvers<ReadonlySet<string>>();
  const ports = {
    broker: {
      ...broker,
      // The connection has another user than simulated Schedulers have.
      publish: ({ userId: _others, ...message }: OutgoingMessage) => broker.publish(message),
    },
    store: {
      ...store,
      async applyEvents(...args: Parameters<typeof store.applyEvents>) {
        const applied = await store.applyEvents(...args);
        committed.resolve(profiler.take());
        return applied;
      },
    },
    clock: undefined,
  } as unknown as Ports;
  const host = { name: "followed", log, failpoint: silent } as unknown as Host;
  const stopping = new AbortController();
  const settings = { maxInFlight: 200, stop: stopping.signal, identity: "trusted" } as const;
  const scheduler = runScheduler(host, ports, settings);

  const task = { tenant: "", workflow: definition.name, input: {}, priority: "normal" } as const;
  const rest = { fairness: null, replyTo: null, correlationId: null, idempotency: null };
  for (let count = 0; count < replies / 2; count += 1) {
    await store.submitTasks([{ ...task, ...rest }], { actor: "followed" });
  }

  const passed = await askBroker(vhost.url, async (channel) => {
    const sets: ReadonlySet<string>[] = [];
    while (sets.length < replies + 2) {
      const got = await channel.get(agentQueue("payments"), { noAck: true });
      if (got === false) {
        await after(5);
        continue;
      }
      const { taskId, step, attempt, token } = StepRequest.decode(got.content);
      const { replyTo } = got.properties;
      const outcome = { kind: "completed", output: null } as const;
      const body = StepReply.encode({ taskId, step, attempt, token, outcome });
      const route = replyRoute("payments", taskId, replyTo);
      committed = Promise.withResolvers();
      profiler.take();
      channel.publish(replyExchange, route, body, { type: StepReply.type, messageId: token });
      const files = await committed.promise;
      // The last step of a task makes none due.
      if (step !== steps.at(-1)?.name) sets.push(files);
    }
    return sets.slice(2);
  });
  stopping.abort();
  await scheduler;

  const [first = new Set<string>(), ...others] = passed;
  const files = others.reduce(
    (all, one) => new Set([...all].filter((file) => one.has(file))),
    first,
  );
  const ours = [...files].filter((file) => file.startsWith("services/scheduler/"));
  process.stdout.write(`A reply passes ${files.size} files, ${ours.length} of the Scheduler\n`);
  expect(files).toContain("services/scheduler/src/replies/record-replies.ts");
  expect(files).toContain("packages/state-store/src/apply/apply-events.ts");
  // What is too much is named.
  expect([...files].toSorted().slice(most)).toEqual([]);
}, 60_000);
