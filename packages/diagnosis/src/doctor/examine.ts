import { durationText, Fault } from "@holdfast/domain";
import type {
  Loss,
  PauseInForce,
  RefusedEntries,
  StalledConsumerFacts,
  UnsentNotifications,
  Unusable,
} from "@holdfast/state-store";
import { adviceFor } from "../advice.ts";
import { count } from "../print/count.ts";
import { checkTimeouts } from "./check-agents.ts";
import { checkBroker } from "./check-broker.ts";
import { checkCauses } from "./check-causes.ts";
import { checkClock } from "./check-clock.ts";
import { checkClockJump } from "./check-clock-jump.ts";
import { checkContracts } from "./check-contracts.ts";
import { checkFormats } from "./check-formats.ts";
import { checkPartitions } from "./check-partitions.ts";
import { checkQueues } from "./check-queues.ts";
import { checkSchedules } from "./check-schedules.ts";
import { checkPooler, checkSchema } from "./check-schema.ts";
import { checkServer } from "./check-server.ts";
import { checkVacuum } from "./check-vacuum.ts";
import { checkWaits } from "./check-waits.ts";
import { collectFacts, type FactsOptions, type StoreFacts } from "./collect-facts.ts";
import { type Finding, fine, orFine, wrong } from "./finding.ts";

export interface Examination {
  readonly findings: readonly Finding[];
  /** Both servers answered. */
  readonly complete: boolean;
}

export interface ExamineOptions extends FactsOptions {
  /** The broker's `consumer_timeout` in milliseconds, where it is known. */
  readonly consumerTimeout: number | null;
}

/** Looks at both servers, and says of each thing whether it is as it should be. */
export async function examine({
  consumerTimeout,
  ...options
}: ExamineOptions): Promise<Examination> {
  const { store, broker } = await collectFacts(options);
  const needs = store instanceof Fault ? [] : (store.contents?.needs ?? []);
  return {
    complete: !(store instanceof Fault || broker instanceof Fault),
    findings: [
      ...checkCauses({ store, broker }, options.now()),
      ...(store instanceof Fault ? [unreachable("store.reachable", store)] : findingsOf(store)),
      ...(broker instanceof Fault
        ? [unreachable("broker.reachable", broker)]
        : [
            ...checkBroker(broker),
            ...checkQueues(broker),
            ...checkTimeouts({ needs, broker, consumerTimeout }),
          ]),
    ],
  };
}

const findingsOf = (store: StoreFacts): readonly Finding[] => [
  ...checkServer(store.server),
  ...checkClock(store.clock, store.advance),
  ...checkPooler(store.pooler),
  ...checkVacuum(store.vacuum),
  ...checkSchema(store.migrations),
  ...(store.contents === null
    ? []
    : [
        checkClockJump(store.contents.clock, store.advance),
        ...checkWaits(store.contents.lateWaits, store.contents.clock.now),
        ...checkSchedules(store.contents.scheduleTroubles, store.contents.clock.now),
        ...checkPartitions(store.contents.partitions),
        ...checkConsumers(store.contents.stalledConsumers),
        ...checkLosses(store.contents.losses),
        ...checkRefusals(store.contents.inbox.refused),
        ...checkNotifications(store.contents.unsent),
        ...checkPauses(store.contents.pauses),
        ...checkDefinitions(store.contents.unusable),
        ...checkFormats(store.contents.unreadFormats),
        ...checkContracts(store.contents.differences),
      ]),
];

const unreachable = (code: string, fault: Fault): Finding =>
  wrong(code, "it could not be looked at", adviceFor(fault));

/** Whether every Scheduler records what it reads. */
const checkConsumers = (stalledConsumers: readonly StalledConsumerFacts[]): readonly Finding[] =>
  orFine(
    stalledConsumers.map(({ instance, queue, messages, failures, forMs, error }) =>
      wrong(
        "consumers.failing",
        `${instance} cannot record ${count(messages, "message")} of ${queue}: ${count(failures, "failure")} in ${durationText(forMs)}, ${error}`,
        "mend what the error says; the messages stay unacknowledged and are recorded then by themselves. A restart moves them to another Scheduler and counts towards the delivery limit",
      ),
    ),
    "consumers.failing",
    "every Scheduler records what it reads",
  );

/**
 * Whether every stored definition, and every unfinished task, can be used as it stands in the
 * store.
 */
const checkDefinitions = ({ workflows, uncheckedWorkflows, tasks }: Unusable): readonly Finding[] =>
  orFine(
    [
      ...uncheckedWorkflows.map(({ name, problem }) =>
        wrong(
          "workflows.schemas",
          `a part of a schema of ${name} is not checked: ${problem}`,
          `store a new version of ${name} without it; until then the part allows everything, and the others are checked`,
        ),
      ),
      ...workflows.map(({ name, problem }) =>
        wrong(
          "workflows.definitions",
          `the definition of ${name} cannot be used: ${problem}`,
          `restore the row of ${name} in state.workflows as the workflow's author registered it; its tasks wait meanwhile and go on by themselves`,
        ),
      ),
      ...(tasks.length > 0 && workflows.length === 0
        ? [
            wrong(
              "workflows.definitions",
              `${count(tasks.length, "task")} cannot be decided about, such as ${tasks[0]?.taskId}: ${tasks[0]?.problem}`,
              "restore their rows, then POST /v1/tasks/:id/resume; see holdfast verify for all of them",
            ),
          ]
        : []),
    ],
    "workflows.definitions",
    "every stored definition can be used",
  );

/** Messages whose effect was lost: dead letters and refused replies. */
const checkLosses = (losses: readonly Loss[]): readonly Finding[] =>
  orFine(losses.map(describe), "messages.lost", "no message was unreadable or refused of late");

const describe = ({ kind, from, reason, messages, latest }: Loss): Finding => {
  const last = `${messages}, the last at ${latest.toISOString()}`;
  return kind === "dead letter"
    ? wrong(
        "messages.dead",
        `dead letters in ${from} (${reason}): ${last}`,
        "read them in state.dead_letters: a sender publishes what this release cannot read",
      )
    : wrong(
        "messages.rejected",
        `replies of ${from} were refused (${reason}): ${last}`,
        "read them in state.rejected_replies: that Agent answers requests that it was not sent, or in another Agent's name",
      );
};

/** Submissions that applications enqueued, and that became no tasks, and signals that none got. */
const checkRefusals = (refused: readonly RefusedEntries[]): readonly Finding[] =>
  orFine(
    refused.map(({ kind, submitter, code, number, latest }) =>
      wrong(
        "inbox.refused",
        `${kind}s of ${submitter} were refused (${code}): ${number}, the last at ${latest}`,
        remedies[kind],
      ),
    ),
    "inbox.refused",
    "no submission or signal that an application enqueued was refused of late",
  );

const remedies: Readonly<Record<RefusedEntries["kind"], string>> = {
  submission:
    "read why in state.refusals: that application commits what its workflow does not take; submitTasks of @holdfast/client refuses it before",
  signal:
    "read why in state.signal_refusals: that application sends what the workflow does not take, or takes no more",
};

/** Notifications that are unsent, and alerts that no queue received. */
const checkNotifications = ({ undelivered, unsent }: UnsentNotifications): readonly Finding[] =>
  orFine(
    [
      ...(undelivered === 0
        ? []
        : [
            wrong(
              "alerts.undelivered",
              `${undelivered} of the last day's alerts reached no queue`,
              "bind a queue to the exchange holdfast.events by alert.#, and read state.alerts",
            ),
          ]),
      ...(unsent === 0
        ? []
        : [
            wrong(
              "notices.unsent",
              `${unsent} notifications wait to be sent`,
              "look whether Schedulers run, and whether they reach the broker",
            ),
          ]),
    ],
    "alerts.delivered",
    "every alert reached a queue, and no notification waits",
  );

/**
 * What is paused, by whom and why: an operator's request, so nothing is wrong, but it holds orders
 * up.
 */
function checkPauses({
  inForce,
  tasks,
}: {
  readonly inForce: readonly PauseInForce[];
  readonly tasks: number;
}): readonly Finding[] {
  const targets = inForce.map(
    ({ kind, name, actor, reason, pausedAt }) =>
      `the ${kind === "agent" ? "Agent" : "workflow"} ${name} by ${actor} since ${pausedAt.toISOString()} (${reason})`,
  );
  const all = [...targets, ...(tasks > 0 ? [count(tasks, "order")] : [])];
  const code = "operators.pauses";
  return [fine(code, all.length === 0 ? "nothing is paused" : `paused: ${all.join("; ")}`)];
}
