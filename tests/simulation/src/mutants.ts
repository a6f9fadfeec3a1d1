import { expiredQueue, replyQueues, StepRequest } from "@holdfast/contracts";
import { asksAgent, type PendingStep, type Task, type TaskEvent } from "@holdfast/domain";
import type { Broker, Delivery, OutgoingMessage } from "@holdfast/messaging";
import type { ClaimedStep, Expired } from "@holdfast/state-store";
import type { Host, MemoryStore, SimulatedBroker } from "@holdfast/testing/simulator";
import { approvalMutants } from "./approval-mutants.ts";
import { breakerMutants } from "./breaker-mutants.ts";
import { capacityMutants } from "./capacity-mutants.ts";
import { contractMutants } from "./contract-mutants.ts";
import {
  addChanges,
  editChanges,
  editEvents,
  editPlans,
  editTasks,
  editWorkflows,
  inHand,
  upstreamOf,
} from "./edit-fold.ts";
import type { Mutation } from "./mutation.ts";
import { operatorMutants } from "./operator-mutants.ts";
import { orderMutants } from "./order-mutants.ts";
import { poolMutants } from "./pool-mutants.ts";
import { rolloutMutants } from "./rollout-mutants.ts";
import { signMutants } from "./sign-mutants.ts";
import { signalMutants } from "./signal-mutants.ts";
import { waitMutants } from "./wait-mutants.ts";

/** Mutants by name, as what was built wrongly. The simulation must find each of them. */
export const mutants: Readonly<Record<string, Mutation>> = {
  "a reply with any attempt is accepted": {
    domain: editEvents((event, task) => {
      const mine = attemptOf(event, task);
      return mine !== null && mine.token === mine.given.token
        ? { ...mine.given, attempt: mine.attempt }
        : event;
    }),
  },
  "a reply with any token is accepted": {
    domain: editEvents((event, task) => {
      const mine = attemptOf(event, task);
      return mine !== null && mine.attempt === mine.given.attempt
        ? { ...mine.given, token: mine.token }
        : event;
    }),
  },
  "a reply of an earlier attempt is accepted": {
    domain: editEvents((event, task) => {
      const mine = attemptOf(event, task);
      return mine === null ? event : { ...mine.given, attempt: mine.attempt, token: mine.token };
    }),
  },
  "a reply of any Agent is accepted": {
    domain: editEvents((event) => {
      if (!("agent" in event)) return event;
      const { agent: _anybody, ...rest } = event;
      return rest;
    }),
  },
  "a reply without a sender is accepted": { identity: "trusted" },
  "a reply to one step is taken for another's": {
    domain: editEvents((event, task) => {
      const mine = attemptOf(event, task);
      const isOfTask = [...task.steps.values()].some(
        (step) => step.processState === "processing" && step.token === mine?.given.token,
      );
      return mine !== null && isOfTask
        ? { ...mine.given, attempt: mine.attempt, token: mine.token }
        : event;
    }),
  },
  "the Supervisor forgets steps": {
    store: (store) => ({
      ...store,
      findExpired: (options) => ({ ...store.findExpired(options), steps: [] }),
    }),
  },
  "the Supervisor takes attempts that still have time": {
    store: (store) => ({
      ...store,
      findExpired: (options) => ({ ...store.findExpired(options), steps: processing(store.tasks) }),
    }),
    domain: editEvents((event) =>
      event.kind === "expired" ? failure(event, { attempted: false }) : event,
    ),
  },
  "the Supervisor counts twice": {
    domain: editChanges((change, event) =>
      event.kind === "expired" && change.action === "retry"
        ? { ...change, step: { ...change.step, failureCount: change.step.failureCount + 1 } }
        : change,
    ),
  },
  "silence is judged before anything shows that replies arrive": {
    store: (store) => ({
      ...store,
      findExpired: foundWith(store, { proven: replyQueues.length, excused: false }),
    }),
  },
  "a requeue in a row is a failure at last": {
    domain: editEvents((event, task) => {
      if (event.kind !== "neverStarted") return event;
      const isSecond = (task.steps.get(event.step)?.requeueCount ?? 0) > 0;
      return isSecond ? failure(event, { attempted: true }) : event;
    }),
  },
  "silence is counted, even where no Agent had the request": {
    domain: editEvents((event) =>
      event.kind === "expired" ? failure(event, { attempted: true }) : event,
    ),
  },
  "an Agent's word about a redelivered request is believed": {
    domain: editEvents((event) =>
      event.kind === "failed" ? { ...event, redelivered: false } : event,
    ),
  },
  "an Agent's word about a resent request is believed": {
    domain: editTasks((task, { kind }) => (kind === "failed" ? withoutResends(task) : task)),
  },
  "a copy that came back is taken for the only one": {
    domain: editTasks((task, { kind }) => (kind === "neverStarted" ? withoutResends(task) : task)),
  },
  "an undo overtakes a request that came back": {
    domain: editEvents((event, task) =>
      event.kind === "neverStarted" && task.goal === "undo"
        ? failure(event, { attempted: false })
        : event,
    ),
  },
  "a gateway's refusal is taken for the service's own": { habits: { knowsEffects: false } },
  "an Agent refuses before it acknowledges": {
    brokerPort: (port, host) =>
      host.role === "agent"
        ? {
            ...port,
            consume: (queue, options, handle) => port.consume(queue, options, late(handle)),
          }
        : port,
  },
  "an Agent refuses over another connection than it acknowledged on": {
    brokerPort: (port, host) => (host.role === "agent" ? answeringElsewhere(port) : port),
  },
  "an instance whose breaker has opened never consumes again": {
    brokerPort: (port, host) => (host.role === "agent" ? neverRaised(port) : port),
  },
  "a requeue is counted as a failure": {
    domain: editEvents((event) =>
      event.kind === "neverStarted" ? failure(event, { attempted: true }) : event,
    ),
  },
  "a service that says when to come back has failed": {
    domain: editEvents((event) =>
      event.kind === "failed" && event.paces === true ? { ...event, paces: false } : event,
    ),
  },
  "failures are never counted": {
    domain: editEvents((event) =>
      event.kind === "failed" && event.transient ? { ...event, attempted: false } : event,
    ),
  },
  "a step is tried again without limit": {
    domain: editPlans((step) =>
      asksAgent(step) ? { ...step, retry: { ...step.retry, failures: 1_000 } } : step,
    ),
  },
  "a step does not wait for those before it": {
    domain: editPlans((step) => ({ ...step, after: [] })),
  },
  "conditions are ignored": {
    domain: editPlans((step) => ({ ...step, onlyIf: null })),
  },
  "steps are undone in the order in which they were done": {
    domain: editWorkflows((plan) => ({ ...plan, downstream: upstreamOf(plan) })),
  },
  "everything is undone at once": {
    domain: (domain) => ({
      ...domain,
      foldEvents(task, reported, options) {
        const folded = domain.foldEvents(task, reported, options);
        const waiting = [...folded.task.steps.values()].flatMap((step) =>
          step.processState === "waiting" && step.plan.kind === "undo" ? [step] : [],
        );
        const planned = waiting.map((step) => ({
          step: { ...step, processState: "pending", notBefore: options.now } as PendingStep,
          action: "plan" as const,
          from: "waiting" as const,
          reason: null,
        }));
        return addChanges(folded, planned);
      },
    }),
  },
  "an undo is begun twice": {
    domain: (domain) => ({
      ...domain,
      foldEvents: (task, reported, options) =>
        reported.some(({ event }) => event.kind === "undoRequested")
          ? domain.foldEvents({ ...task, goal: "do" }, reported, options)
          : domain.foldEvents(task, reported, options),
    }),
  },
  "what may have been done is not undone": {
    domain: editEvents((event, task) => {
      if (event.kind === "failed") return { ...event, effect: "none" };
      const step = "step" in event ? task.steps.get(event.step) : undefined;
      const attempted = step?.processState === "processing" && step.confirmed;
      return event.kind === "expired" || event.kind === "neverStarted"
        ? { ...failure(event, { attempted }), effect: "none" }
        : event;
    }),
  },
  "an undo does it again": {
    service: (service) => ({
      ...service,
      undo: (key, caller) =>
        void service.perform(`${key}:undo`, { caller, from: null, declines: () => false }),
    }),
  },
  "an undo names another key": {
    brokerPort: editRequests((request) =>
      request.undo === undefined
        ? request
        : { ...request, undo: { ...request.undo, key: request.idempotencyKey } },
    ),
  },
  "each attempt has a key of its own": {
    brokerPort: editRequests((request) => ({
      ...request,
      idempotencyKey: `${request.idempotencyKey}:${request.attempt}`,
    })),
  },
  "a resubmitted step has a new key": {
    domain: editChanges((change) =>
      change.action === "resubmit"
        ? { ...change, step: { ...change.step, keyGeneration: change.step.keyGeneration + 1 } }
        : change,
    ),
  },
  "outputs are not kept": {
    store: (store) => ({
      ...store,
      applyEvents: (reportedEvents, options) =>
        store.applyEvents(
          reportedEvents.map(({ output: _lost, ...reportedEvent }) => reportedEvent),
          options,
        ),
    }),
  },
  "what is being processed can be claimed": {
    store: (store) => ({
      ...store,
      claimDueSteps(options) {
        const claims = store.claimDueSteps(options);
        for (const { taskId, name } of claims) store.tasks.get(taskId)?.ranks.set(name, 0);
        return claims;
      },
    }),
  },
  "a claim is published before it is committed": {
    storePort: (port, store) => ({
      ...port,
      claimDueSteps: (options) =>
        port.claimDueSteps(options).catch(() =>
          [...store.tasks.values()].flatMap(({ task, ranks }) =>
            [...ranks.keys()].map((name): ClaimedStep => {
              const { plan, attempt, keyGeneration } = task.steps.get(name) as PendingStep;
              return {
                taskId: task.taskId,
                name,
                lane: plan.agent,
                agent: plan.agent,
                workflow: task.workflow.name,
                attempt: attempt + 1,
                token: task.taskId,
                startBy: plan.startWithin,
                completeBy: plan.startWithin + plan.completeWithin,
                keyGeneration,
                priority: "normal",
                taskInput: null,
                now: 0,
              };
            }),
          ),
        ),
    }),
  },
  "no claim is resent": {
    store: (store) => ({ ...store, takeUnconfirmedSteps: () => [] }),
  },
  "a request is recorded as confirmed before its confirm": {
    brokerPort: forScheduler((port) => ({
      ...port,
      publish(message) {
        void port.publish(message);
        return Promise.resolve("stored");
      },
    })),
  },
  "a request outlives its start-by time": {
    brokerPort: forScheduler((port) => ({
      ...port,
      publish: ({ expirationMs: _never, ...message }) => port.publish(message),
    })),
  },
  "steps of requests that come back are not requeued": {
    brokerPort: forScheduler((port) => ({
      ...port,
      consumeBatches: (queue, options, handle) =>
        port.consumeBatches(queue, options, queue === expiredQueue ? async () => {} : handle),
    })),
  },
  "rests never end": {
    store: (store) => ({
      ...store,
      stageDueSteps: () => ({ ...store.stageDueSteps(), lanes: [] }),
      claimDueSteps: (options) => {
        for (const { task, ranks } of store.tasks.values()) {
          for (const name of ranks.keys()) {
            if ((task.steps.get(name)?.attempt ?? 0) > 0) ranks.delete(name);
          }
        }
        return store.claimDueSteps(options);
      },
    }),
  },
  "a reply is acknowledged before it is saved": {
    brokerPort: forScheduler((port) => ({
      ...port,
      consumeShared: (queues, options, handle) =>
        port.consumeShared(queues, options, async (batch) => {
          for (const delivery of batch) delivery.ack();
          await handle(batch);
        }),
    })),
  },
  "a batch that failed is acknowledged": {
    brokerPort: forScheduler((port) => ({
      ...port,
      consumeBatches: (queue, options, handle) =>
        port.consumeBatches(queue, options, (batch) => handle(batch).catch(() => {})),
      consumeShared: (queues, options, handle) =>
        port.consumeShared(queues, options, (batch) => handle(batch).catch(() => {})),
    })),
  },
  "an Agent acknowledges before it works": {
    brokerPort: (port, host) =>
      host.role === "agent"
        ? {
            ...port,
            consume: (queue, options, handle) => port.consume(queue, options, early(handle)),
          }
        : port,
  },
  "an Agent ignores its deadline": {
    clock: (clock, host) =>
      host.role === "agent"
        ? { ...clock, after: (ms, act) => (ms < 100 ? clock.after(ms, act) : () => {}) }
        : clock,
  },
  "the sweep finds nothing": {
    store: (store) => ({ ...store, findStalledTasks: () => ({ taskIds: [], next: null }) }),
  },
  "a submission is not known by its key": {
    store: (store) => ({
      ...store,
      submitTasks: (tasks, options) =>
        store.submitTasks(
          tasks.map((task) => ({ ...task, idempotency: null })),
          options,
        ),
    }),
  },
  "the remote service does not know keys": { habits: { knowsKeys: false } },
  "the remote service does what was undone": { habits: { keepsTombstones: false } },
  ...capacityMutants,
  ...operatorMutants,
  ...orderMutants,
  ...breakerMutants,
  ...poolMutants,
  ...signMutants,
  ...waitMutants,
  ...signalMutants,
  ...approvalMutants,
  ...contractMutants,
  ...rolloutMutants,
};

type AttemptEvent = Extract<TaskEvent, { token: string; attempt: number }>;

/** The attempt that is processing where an event names one, beside what the event says. */
function attemptOf(
  event: TaskEvent,
  task: Task,
): { attempt: number; token: string; given: AttemptEvent } | null {
  if (event.kind !== "completed" && event.kind !== "failed") return null;
  const mine = inHand(task, event.step);
  return mine && { ...mine, given: event };
}

const failure = (
  { step, attempt, token, kind }: Extract<TaskEvent, { kind: "expired" | "neverStarted" }>,
  { attempted }: { readonly attempted: boolean },
): Extract<TaskEvent, { kind: "failed" }> => ({
  kind: "failed",
  code: kind === "expired" ? "step.expired" : "step.never_started",
  transient: true,
  attempted,
  effect: "unknown",
  retryAfter: null,
  step,
  attempt,
  token,
});

/** Finds what has expired, with this about the silence of its Agents. */
const foundWith =
  (store: MemoryStore, about: Pick<Expired["steps"][number], "proven" | "excused">) =>
  (options: Parameters<MemoryStore["findExpired"]>[0]): Expired => {
    const found = store.findExpired(options);
    return { ...found, steps: found.steps.map((step) => ({ ...step, ...about })) };
  };

function processing(tasks: ReadonlyMap<string, { readonly task: Task }>) {
  return [...tasks.values()].flatMap(({ task }) =>
    [...task.steps.values()].flatMap((step) =>
      step.processState === "processing"
        ? [
            {
              taskId: task.taskId,
              step: step.plan.name,
              attempt: step.attempt,
              token: step.token,
              overdue: 0,
              proven: replyQueues.length,
              excused: false,
            },
          ]
        : [],
    ),
  );
}

/** The task as if no step had been resent. */
const withoutResends = (task: Task): Task => ({
  ...task,
  steps: new Map(
    [...task.steps].map(([name, step]) => [
      name,
      step.processState === "processing" ? { ...step, resent: false } : step,
    ]),
  ),
});

function forScheduler(edit: (port: SimulatedBroker) => SimulatedBroker) {
  return (port: SimulatedBroker, host: Host): SimulatedBroker =>
    host.role === "scheduler" ? edit(port) : port;
}

function editRequests(edit: (request: StepRequest) => StepRequest) {
  const edited = (message: OutgoingMessage): OutgoingMessage =>
    message.type === StepRequest.type
      ? { ...message, body: StepRequest.encode(edit(StepRequest.decode(message.body))) }
      : message;
  return forScheduler((port) => ({ ...port, publish: (message) => port.publish(edited(message)) }));
}

/** What it says is acknowledged is acknowledged when all is done. */
const late =
  (handle: Parameters<Broker["consume"]>[2]) =>
  (delivery: Delivery): Promise<void> =>
    handle({ ...delivery, ack: () => {} });

const early =
  (handle: Parameters<Broker["consume"]>[2]) =>
  (delivery: Delivery): Promise<void> => {
    delivery.ack();
    return handle(delivery);
  };

const answeringElsewhere = (port: SimulatedBroker): SimulatedBroker => ({
  ...port,
  consume: (queue, options, handle) =>
    port.consume(queue, options, (delivery) => handle({ ...delivery, answer: port.publish })),
});

/** A consumer that was cancelled stays so. */
const neverRaised = (port: SimulatedBroker): SimulatedBroker => ({
  ...port,
  async consume(...asked) {
    const consumer = await port.consume(...asked);
    const limit = async (prefetch: number) => (prefetch === 0 ? consumer.limit(0) : undefined);
    return { limit, [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose]() };
  },
});
