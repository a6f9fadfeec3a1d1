import { setTimeout as after } from "node:timers/promises";
import { agentQueue, replyExchange, replyRoute, StepReply, StepRequest } from "@holdfast/contracts";
import type { StepDefinition, WorkflowDefinition } from "@holdfast/domain";
import { askBroker } from "@holdfast/local-stack";
import { connectBroker, type OutgoingMessage, wakeHint } from "@holdfast/messaging";
import { openStateStore } from "@holdfast/state-store";
import { calledInAll, migratedDatabase, openProfiler, testBroker } from "@holdfast/test-servers";
import { type Host, type Ports, runScheduler, runSupervisor } from "@holdfast/testing/simulator";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

/**
 * Replies that are followed. Loops in the background have their turn during some of them, and not
 * during all.
 */
const replies = 40;
/** Claims and expired steps that are followed. */
const others = 20;
/** Steps of each task: as few as usual, since the Scheduler keeps no large task in its cache. */
const stepsOfTask = 5;

const policy = {
  startWithin: 60_000,
  completeWithin: 60_000,
  retry: { failures: 3, backoff: 1_000, max: 60_000 },
  coolDown: null,
} as const;

const stepOf = (index: number): StepDefinition => ({
  ...policy,
  name: `s${index}`,
  agent: "payments",
  operation: "charge",
  input: {},
  after: index === 0 ? [] : [`s${index - 1}`],
  onlyIf: null,
  onFailure: "halt",
  undo: null,
});

const workflow = (name: string, steps: readonly StepDefinition[]): WorkflowDefinition => ({
  format: 1,
  name,
  inputSchema: {},
  completeWithin: null,
  output: null,
  inputs: {},
  steps,
});

/** Each step makes the next one due. */
const chain = Array.from({ length: stepsOfTask }, (_, index) => stepOf(index));
const followed = workflow("followed.v1", chain);
/** Its step expires soon after an Agent has taken it, again and again. */
const silentStep = {
  ...stepOf(0),
  startWithin: 1_000,
  completeWithin: 1,
  retry: { failures: 1_000, backoff: 1, max: 1 },
};
const silenced = workflow("silenced.v1", [silentStep]);

const silent = () => {};
const log = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

type Opened = Awaited<ReturnType<typeof open>>;
let opened: Opened;
beforeEach(async () => {
  opened = await open();
});
afterEach(() => opened[Symbol.asyncDispose]());

async function open() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await migratedDatabase());
  const vhost = stack.use(await testBroker());
  const store = stack.use(
    await openStateStore({ url: database.url, applicationName: "followed", maxConnections: 6 }),
  );
  for (const one of [followed, silenced]) await store.registerWorkflow(one);
  const broker = stack.use(
    await connectBroker({
      url: vhost.url,
      name: "followed",
      topology: "declare",
      agents: ["payments"],
      log,
    }),
  );
  const profiler = stack.use(openProfiler());
  const owned = stack.move();
  return {
    store,
    profiler,
    url: vhost.url,
    hint: wakeHint(broker),
    // The connection has another user than simulated Schedulers have.
    broker: {
      ...broker,
      publish: ({ userId: _others, ...message }: OutgoingMessage) => broker.publish(message),
    },
    /** Resolves to the id of the task. */
    async submit(name: string): Promise<string> {
      const task = { tenant: "", workflow: name, input: {}, priority: "normal" } as const;
      const rest = { fairness: null, replyTo: null, correlationId: null, idempotency: null };
      const [made] = await store.submitTasks([{ ...task, ...rest }], { actor: "followed" });
      return made?.kind === "created" ? made.taskId : "";
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const host = { name: "followed", log, failpoint: silent } as unknown as Host;

/** Runs a Scheduler while `work` does, with these in the place of what it would call. */
async function withScheduler(
  changed: { readonly store?: object; readonly broker?: object },
  work: () => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  const ports = {
    broker: { ...opened.broker, ...changed.broker },
    store: { ...opened.store, ...changed.store },
    clock: undefined,
  } as unknown as Ports;
  const settings = { maxInFlight: 200, stop: stopping.signal, identity: "trusted" } as const;
  const scheduler = runScheduler(host, ports, settings);
  try {
    await work();
  } finally {
    stopping.abort();
    await scheduler;
  }
}

/** What one run after the other has called. */
function runsOf(count: number) {
  const sets: ReadonlySet<string>[] = [];
  const all = Promise.withResolvers<void>();
  let next = Promise.withResolvers<ReadonlySet<string>>();
  return {
    sets,
    /** The files of the next run, once it has ended. */
    begin: () => (next = Promise.withResolvers()).promise,
    end(files: ReadonlySet<string>): void {
      next.resolve(files);
      // The first ones compile, and open connections.
      if (sets.push(files) === count + 2) all.resolve();
    },
    complete: all.promise,
  };
}

/** Holds a path to its limit, and says what it has passed. */
function judge(what: string, files: readonly string[], most: number): void {
  const [service = ""] = files.filter((file) => file.startsWith("services/")).slice(-1);
  const part = service.split("/").slice(0, 2).join("/");
  const ours = files.filter((file) => file.startsWith(`${part}/`));
  process.stdout.write(`${what} passes ${files.length} files, ${ours.length} of ${part}\n`);
  // What is too much is named.
  expect(files.slice(most)).toEqual([]);
}

// The limits leave room: on a slow machine a loop in the background has its turn during each of the
// runs, too.

test("a reply passes few files from its delivery to the commit, with the claim inside", async () => {
  const { store, profiler, url } = opened;
  const runs = runsOf(replies);
  const applyEvents: typeof store.applyEvents = async (...args) => {
    const applied = await store.applyEvents(...args);
    runs.end(profiler.take());
    return applied;
  };
  const passed: ReadonlySet<string>[] = [];
  await withScheduler({ store: { applyEvents } }, async () => {
    for (let count = 0; count < replies / 2; count += 1) await opened.submit(followed.name);
    await askBroker(url, async (channel) => {
      while (passed.length < replies + 2) {
        const got = await channel.get(agentQueue("payments"), { noAck: true });
        if (got === false) {
          await after(5);
          continue;
        }
        const { taskId, step, attempt, token } = StepRequest.decode(got.content);
        const outcome = { kind: "completed", output: null } as const;
        const body = StepReply.encode({ taskId, step, attempt, token, outcome });
        const route = replyRoute("payments", taskId, got.properties.replyTo);
        const run = runs.begin();
        profiler.take();
        channel.publish(replyExchange, route, body, { type: StepReply.type, messageId: token });
        const files = await run;
        // The last step of a task makes none due.
        if (step !== chain.at(-1)?.name) passed.push(files);
      }
    });
  });
  const files = calledInAll(passed.slice(2));
  expect(files).toContain("services/scheduler/src/replies/record-replies.ts");
  expect(files).toContain("packages/state-store/src/apply/apply-events.ts");
  judge("A reply", files, 64);
}, 180_000);

test("a due step passes few files from its claim to the broker's confirm of its request", async () => {
  const { profiler, broker } = opened;
  const claiming = "packages/state-store/src/claim/claim-due-steps.ts";
  const awaited = new Map<string, (files: ReadonlySet<string>) => void>();
  const early = new Set<string>();
  const publish: typeof broker.publish = async (message) => {
    const result = await broker.publish(message);
    if (message.type !== StepRequest.type) return result;
    const { correlationId: taskId = "" } = message;
    const resolve = awaited.get(taskId);
    if (resolve === undefined) early.add(taskId);
    else resolve(profiler.take());
    return result;
  };
  const passed: ReadonlySet<string>[] = [];
  await withScheduler({ broker: { publish } }, () =>
    askBroker(opened.url, async (channel) => {
      // An Agent without a consumer has one slot.
      await channel.consume(agentQueue("payments"), silent, { noAck: true });
      while (passed.length < others + 2) {
        const { promise, resolve } = Promise.withResolvers<ReadonlySet<string>>();
        const taskId = await opened.submit(followed.name);
        // A loop may have claimed it before it was followed.
        if (early.has(taskId)) continue;
        awaited.set(taskId, resolve);
        profiler.take();
        opened.hint();
        const files = await promise;
        if (files.has(claiming)) passed.push(files);
      }
    }),
  );
  const files = calledInAll(passed.slice(2));
  expect(files).toContain("services/scheduler/src/dispatch/dispatch-steps.ts");
  judge("A due step", files, 64);
}, 180_000);

test("an expired step passes few files from the scan that finds it to the commit", async () => {
  const { store, profiler, url, broker } = opened;
  const runs = runsOf(others);
  const findExpired: typeof store.findExpired = (...args) => {
    profiler.take();
    return store.findExpired(...args);
  };
  const applyEvents: typeof store.applyEvents = async (...args) => {
    const applied = await store.applyEvents(...args);
    runs.end(profiler.take());
    return applied;
  };
  await opened.submit(silenced.name);
  await withScheduler({}, async () => {
    const stopping = new AbortController();
    const ports = { broker, store: { ...store, findExpired, applyEvents } } as unknown as Ports;
    const supervisor = runSupervisor(host, ports, { stop: stopping.signal, recoveryDelay: 0 });
    // An Agent that takes each request, and is silent.
    const taking = askBroker(url, async (channel) => {
      while (!stopping.signal.aborted) {
        await channel.get(agentQueue("payments"), { noAck: true });
        await after(5);
      }
    });
    await runs.complete;
    stopping.abort();
    await Promise.all([supervisor, taking]);
  });
  const files = calledInAll(runs.sets.slice(2));
  expect(files).toContain("services/supervisor/src/recover/recover-expired-steps.ts");
  expect(files).toContain("packages/state-store/src/apply/apply-events.ts");
  judge("An expired step", files, 50);
}, 180_000);
