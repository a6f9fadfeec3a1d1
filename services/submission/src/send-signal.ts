import {
  allowedVisible,
  type FieldFault,
  isVisible,
  limits,
  payloadFaultsAt,
  payloadWords,
  signalContract,
} from "@holdfast/contracts";
import {
  type FaultCode,
  familyOf,
  isId,
  type Json,
  type Milliseconds,
  signalsOf,
} from "@holdfast/domain";
import { batchCalls } from "@holdfast/runtime";
import type { HeldSignal, NewSignal, SentSignal, SubmissionStore } from "@holdfast/state-store";
import type { Tasks } from "./find-tasks.ts";
import { Problem } from "./problem.ts";
import { type OpenWorkflow, unusable, type WorkflowDirectory } from "./workflow-directory.ts";

/** A signal as it is asked for, whichever way it comes: `payload` may be anything. */
export interface AskedSignal {
  readonly name: string;
  /** The sender's own: the same once more is the same signal. */
  readonly id: string;
  readonly payload: unknown;
  /** Who sends it, as the store keeps it. */
  readonly sentBy: string;
}

/** A signal for the task that a business key stands for, or stood for last. */
export interface AskedByKey extends AskedSignal {
  /** The workflow, with its version or without. */
  readonly workflow: string;
  readonly key: string;
  /** How long it is held for a task that is still to come; null: it is not. */
  readonly holdFor: Milliseconds | null;
  /** Whether the answer may name workflows that look like an unknown one. */
  readonly learnsNames: () => boolean;
}

/** A signal that is stored with its task. */
export interface TakenSignal {
  readonly taskId: string;
  /** When it was stored, the first time. */
  readonly at: string;
  readonly replayed: boolean;
}

/** What became of a signal for a business key: `until` says how long it is held. */
type TakenByKey =
  | ({ readonly kind: "sent" } & TakenSignal)
  | { readonly kind: "held"; readonly until: string; readonly replayed: boolean };

export interface SignalDependencies {
  readonly store: Pick<
    SubmissionStore,
    "findTaskByKey" | "findWorkflowsOf" | "hasSignal" | "holdSignal" | "sendSignals"
  >;
  readonly tasks: Pick<Tasks, "glance">;
  readonly directory: Pick<WorkflowDirectory, "find" | "known">;
  /** Wakes the Schedulers: waits may have ended. */
  readonly hint: (due: "waits") => void;
}

/** The codes with which signals are refused, by status, whichever way they come. */
export const signalCodes = {
  400: ["request.idempotency_key_invalid", "signal.invalid"],
  404: ["signal.unknown", "task.submission_refused", "task.unknown"],
  409: ["signal.id_reused", "signal.too_late"],
  413: ["request.too_large"],
  429: ["signal.too_many"],
  500: ["workflow.unusable"],
} as const satisfies Readonly<Record<number, readonly FaultCode[]>>;

/** The longest time for which a signal is held for a task that is still to come. */
export const longestHold: Milliseconds = 30 * 24 * 60 * 60 * 1_000;

const tenant = "default";

/** Sends signals by the one rule for all ways in. What is refused is a `Problem`. */
export interface SignalSender {
  /**
   * Holds a signal to the workflow of its task, in the version that the task has. Throws a
   * `Problem` for one that is not to be stored.
   */
  read(taskId: string, asked: AskedSignal): Promise<NewSignal>;
  /**
   * Stores signals in one transaction, in their order: each is taken, or there is why it is not.
   * Wakes the Schedulers if any is new.
   */
  write(signals: readonly NewSignal[]): Promise<readonly (TakenSignal | Problem)[]>;
  /**
   * Sends a signal to the task of a business key, by `send`. One that may be held goes to an open
   * one, and is held for the next where there is none. Throws a `Problem`.
   */
  toKey(
    asked: AskedByKey,
    send: (taskId: string, asked: AskedSignal) => Promise<TakenSignal>,
  ): Promise<TakenByKey>;
}

export function signalSender(deps: SignalDependencies): SignalSender {
  const { store, hint } = deps;
  const nameOf = workflowNames(deps);
  return {
    async read(taskId, asked) {
      const workflow = await nameOf(taskId);
      const { name, id, sentBy } = asked;
      const payload = await readPayload(asked, await workflowOf(deps, workflow));
      return { taskId, workflow, name, id: readId(id), payload, sentBy };
    },
    async write(signals) {
      const sent = await store.sendSignals(signals);
      if (sent.some((one) => one.kind === "accepted" && !one.replayed)) hint("waits");
      return signals.map((signal, index) => takenOf(signal, sent[index]!));
    },
    toKey: (asked, send) => sendToKey(deps, asked, send),
  };
}

/** Tasks whose workflows are asked for at a time, and how long they wait for that. */
const asking = { max: 200, maxWaiting: { items: 10_000, bytes: 1 }, timeout: 10_000 };

/**
 * Finds the workflows of tasks, of all that are asked for meanwhile at a time. Throws a `Problem`
 * where there is no such task.
 */
function workflowNames({ store, tasks }: SignalDependencies): (taskId: string) => Promise<string> {
  const finding = batchCalls(async (taskIds: readonly string[]) => {
    const found = await store.findWorkflowsOf({ taskIds });
    return taskIds.map((taskId) => found.get(taskId.toLowerCase()) ?? null);
  }, asking);
  return async (taskId) => {
    const found = isId(taskId) ? await finding.add(taskId, 0).result : null;
    // It may wait in the inbox, or was refused there.
    return found ?? (await tasks.glance(taskId)).workflow;
  };
}

const takenOf = ({ taskId, name }: NewSignal, sent: SentSignal): TakenSignal | Problem =>
  sent.kind === "accepted"
    ? { taskId, at: sent.at, replayed: sent.replayed }
    : refused(sent.code, { name, of: `The task ${taskId}` });

/**
 * What a refused signal is answered. `of` names the task, or what stands for it, and begins a
 * sentence.
 */
function refused(
  code: Extract<SentSignal, { kind: "refused" }>["code"],
  { name, of }: { readonly name: string; readonly of: string },
): Problem {
  switch (code) {
    case "task.unknown":
      return new Problem(404, code, `${of} is not there.`);
    case "signal.too_late":
      return new Problem(
        409,
        code,
        `${of} has no step any more that could take a signal ${name}: it is being undone, has ended, or what waits for it is over. The signal is kept with it.`,
      );
    case "signal.id_reused":
      return new Problem(
        409,
        code,
        `${of} has a signal ${name} with this id and another payload, which stands. Use a new id for another signal.`,
      );
    case "signal.too_many":
      return new Problem(
        429,
        code,
        `${of} has 100 signals ${name} that no step has taken. What is stored is kept: send this one later.`,
      );
  }
}

/** The version of a workflow that a task has: it is stored for as long as the task is. */
async function workflowOf(
  { directory }: Pick<SignalDependencies, "directory">,
  name: string,
): Promise<OpenWorkflow> {
  const known = directory.known(name) ?? (await directory.find(name, () => false));
  if (known.name !== name) throw unusable();
  return known;
}

/** The id of a signal. Throws a 400 for one that headers could not have. */
function readId(id: string): string {
  if (isVisible(id)) return id;
  throw new Problem(
    400,
    "request.idempotency_key_invalid",
    `The id of a signal must be ${allowedVisible}.`,
  );
}

/** The payload of a signal, held to its contract. Throws a `Problem` for what breaks it. */
async function readPayload(
  { name, payload }: Pick<AskedSignal, "name" | "payload">,
  workflow: OpenWorkflow,
): Promise<Json> {
  const check = workflow.checkSignal(name);
  if (check === null) throw unknownSignal(name, workflow);
  const faults = payloadFaultsAt(payload);
  if (faults.length > 0) throw invalid(faults, `The payload ${payloadWords(faults)}.`);
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes > limits.signalBytes) {
    throw new Problem(
      413,
      "request.too_large",
      `The payload is ${bytes} bytes long, of at most ${limits.signalBytes}.`,
    );
  }
  const errors = await check(payload);
  if (errors.length > 0) throw invalid(errors, "The payload failed validation; see errors.");
  return payload as Json;
}

/** The answer to a payload that is not as its workflow says. Pointers are into the payload. */
const invalid = (faults: readonly FieldFault[], words: string): Problem =>
  new Problem(400, "signal.invalid", words, faults);

function unknownSignal(asked: string, { name, definition }: OpenWorkflow): Problem {
  const names = signalsOf(definition).join(", ");
  const which = names === "" ? "It waits for no signals." : `It waits for these: ${names}.`;
  const shown = asked.slice(0, limits.name);
  return new Problem(404, "signal.unknown", `${name} waits for no signal ${shown}. ${which}`);
}

async function sendToKey(
  deps: SignalDependencies,
  asked: AskedByKey,
  send: Parameters<SignalSender["toKey"]>[1],
): Promise<TakenByKey> {
  const { store } = deps;
  const { workflow: named, key, name, holdFor } = asked;
  const family = familyOf(named);
  const taskId = await store.findTaskByKey({ tenant, family, key });
  if (taskId !== null && (holdFor === null || (await isMeant(deps, taskId, asked)))) {
    return { kind: "sent", ...(await send(taskId, asked)) };
  }
  if (holdFor === null) {
    throw new Problem(
      404,
      "task.unknown",
      `There is no task of ${family} with the key ${key}. With holdFor, the signal is held for one that is still to come.`,
    );
  }
  const held = await store.holdSignal(await readHeld(deps, { ...asked, holdFor }));
  if (held.kind === "held") return held;
  // It has begun meanwhile.
  if (held.kind === "task") return { kind: "sent", ...(await send(held.taskId, asked)) };
  throw refused(held.code, { name, of: `The business key ${key}` });
}

/**
 * Whether a signal that may be held goes to the task that has a business key, or had it last: it is
 * open, or has the signal already, so that a repeated request is no signal for the next task.
 */
async function isMeant(
  deps: SignalDependencies,
  taskId: string,
  { name, id }: AskedSignal,
): Promise<boolean> {
  const { finishedAt } = await deps.tasks.glance(taskId);
  if (finishedAt === null) return true;
  return deps.store.hasSignal({ taskId, name, id });
}

/** Makes the signal that is held: it keeps the contract of the version that is named, or active. */
async function readHeld(
  { directory }: SignalDependencies,
  asked: AskedByKey & { readonly holdFor: Milliseconds },
): Promise<HeldSignal> {
  const { workflow: named, key, name, id, holdFor, sentBy } = asked;
  const workflow = directory.known(named) ?? (await directory.find(named, asked.learnsNames));
  const payload = await readPayload(asked, workflow);
  const contract = signalContract(workflow.definition, name);
  if (contract === null) throw unusable();
  return {
    tenant,
    family: workflow.family,
    key,
    contract,
    holdFor,
    name,
    id: readId(id),
    payload,
    sentBy,
  };
}
