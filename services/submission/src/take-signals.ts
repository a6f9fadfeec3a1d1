import { isVisible, MalformedMessage, signalQueue, TaskSignal } from "@holdfast/contracts";
import { isId, type Json, parseDuration } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import { type Logger, noTracing, type Tracing } from "@holdfast/runtime";
import type { NewSignal, SubmissionStore } from "@holdfast/state-store";
import { applicationName } from "./access/application-names.ts";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import { endSpans, spansOf } from "./delivery-spans.ts";
import type { RefusedSubmission } from "./make-tasks.ts";
import { changedPayload, invalidRequest, Problem } from "./problem.ts";
import { mustOwnQueue } from "./read-delivery.ts";
import { deliveryRefuser, type Refusals, signalRefusalOf } from "./refuse-deliveries.ts";
import {
  type AskedByKey,
  type AskedSignal,
  longestHold,
  type SignalSender,
} from "./send-signal.ts";

interface SignalIntake {
  readonly store: Pick<SubmissionStore, "enqueueRefusals" | "enqueueSignals">;
  readonly sender: SignalSender;
  readonly log: Pick<Logger, "warn">;
  /** The name of this process: who sends what comes without a user. */
  readonly actor: string;
  readonly ownsStatusQueue: OwnsStatusQueue;
  /** The tracing of what it takes; none unless given. */
  readonly tracing?: Tracing;
}

type Refused = RefusedSubmission<Delivery>;

/**
 * Takes signals by message instead of HTTP. A message is acknowledged once its signal is durable,
 * and a redelivery is the same signal. One for a task that waits in the inbox is kept until it is a
 * task. A message that is refused goes to the dead letters, and its sender is notified.
 */
export function takeSignals(deps: SignalIntake) {
  const { tracing = noTracing } = deps;
  const refuse = deliveryRefuser(refusedSignals, deps);
  return async (batch: readonly Delivery[]): Promise<void> => {
    const spans = spansOf(tracing, batch, signalQueue);
    const asked = batch.map((from) => orProblem(from, () => askedIn(from, deps)));
    const refused = [
      ...asked.filter(isRefused),
      ...(await sendToTasks(
        deps,
        asked.filter((one) => "taskId" in one),
      )),
      ...(await sendToKeys(
        deps,
        asked.filter((one) => "key" in one),
      )),
    ];
    await refuse(refused);
    endSpans(spans, refused);
  };
}

/** A signal that a message asks for. */
type Asked = { readonly from: Delivery; readonly signal: AskedSignal } & (
  | { readonly taskId: string }
  | { readonly key: Omit<AskedByKey, keyof AskedSignal> }
);

const isRefused = (one: Asked | Refused): one is Refused => "problem" in one;

function orProblem(from: Delivery, read: () => Asked): Asked | Refused {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { from, problem: error };
  }
}

/** Reads a message. Throws a `Problem` for one that is no signal. */
function askedIn(from: Delivery, { actor, ownsStatusQueue }: SignalIntake): Asked {
  mustOwnQueue(from, ownsStatusQueue);
  const { taskId, workflow, businessKey, holdFor, name, id, payload } = decode(from);
  const signal = { name, id, payload, sentBy: senderOf(from, actor) };
  const isByKey = workflow !== undefined && businessKey !== undefined;
  const isById = workflow === undefined && businessKey === undefined && holdFor === undefined;
  if (taskId !== undefined && isById) return { from, signal, taskId };
  if (taskId === undefined && isByKey) {
    // Who may publish is known to the broker, and may learn which workflows there are.
    const key = { workflow, key: businessKey, holdFor: readHold(holdFor), learnsNames: () => true };
    return { from, signal, key };
  }
  throw invalidRequest(
    [{ pointer: "", detail: "must have taskId, or workflow and businessKey, and not both" }],
    "message",
  );
}

function decode({ body }: Delivery): TaskSignal {
  try {
    return TaskSignal.decode(body);
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    const { changes, json, message } = error;
    if (changes.length > 0) throw changedPayload(changes, "/payload");
    if (json !== undefined) throw new Problem(422, "request.invalid", `${message}.`);
    throw new Problem(400, "request.not_json", "The body is not JSON in UTF-8.");
  }
}

const senderOf = ({ userId }: Delivery, actor: string): string =>
  userId === undefined ? actor : applicationName({ submitter: userId, application: null });

/** Milliseconds for which a signal is held; null: it is not. */
function readHold(asked: string | undefined): AskedByKey["holdFor"] {
  if (asked === undefined) return null;
  const holdFor = parseDuration(asked);
  if (holdFor >= 1 && holdFor <= longestHold) return holdFor;
  throw invalidRequest([{ pointer: "/holdFor", detail: "must be more than 0, and at most 30d" }]);
}

type ToTask = Extract<Asked, { readonly taskId: string }>;

/** Sends the signals of a batch that name their tasks, in one transaction. */
async function sendToTasks(
  { store, sender }: SignalIntake,
  all: readonly ToTask[],
): Promise<readonly Refused[]> {
  const read = await Promise.all(
    all.map(({ from, signal, taskId }) =>
      problemOr(from, async () => ({ from, signal: await sender.read(taskId, signal) })),
    ),
  );
  const signals = read.filter((one) => "signal" in one);
  const refused = await write(sender, signals);
  const unknown = refused.filter(({ problem }) => problem.code === "task.unknown");
  const known = [...read.filter((one) => "problem" in one), ...refused].filter(
    (one) => !unknown.includes(one),
  );
  if (unknown.length === 0) return known;
  // Their tasks may wait in the inbox, from where they get the signals once they are made.
  const early = signals.filter(({ from }) => unknown.some((one) => one.from === from));
  const kept = await store.enqueueSignals(early.map(earlySignal));
  // What is not there any more is a task by now.
  const again = early.filter(({ signal }) => !kept.has(signal.taskId));
  return [...known, ...(await write(sender, again))];
}

interface Readable {
  readonly from: Delivery;
  readonly signal: NewSignal;
}

async function write(
  sender: SignalSender,
  signals: readonly Readable[],
): Promise<readonly Refused[]> {
  const written = await sender.write(signals.map(({ signal }) => signal));
  return signals.flatMap(({ from }, index) => {
    const taken = written[index]!;
    return taken instanceof Problem ? [{ from, problem: taken }] : [];
  });
}

const earlySignal = ({ from, signal }: Readable) => ({
  taskId: signal.taskId,
  name: signal.name,
  signalId: signal.id,
  payload: signal.payload,
  replyTo: from.replyTo ?? null,
  correlationId: isVisible(from.correlationId) ? from.correlationId : null,
  sentBy: signal.sentBy,
});

type ToKey = Extract<Asked, { readonly key: object }>;

/** Sends the signals that name business keys, one after the other: so they stay in their order. */
async function sendToKeys(
  { sender }: SignalIntake,
  all: readonly ToKey[],
): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (const { from, signal, key } of all) {
    const sent = await problemOr(from, () =>
      sender.toKey({ ...signal, ...key }, async (taskId, asked) => {
        const [taken] = await sender.write([await sender.read(taskId, asked)]);
        if (taken instanceof Problem) throw taken;
        return taken!;
      }),
    );
    if ("problem" in sent) refused.push(sent);
  }
  return refused;
}

async function problemOr<Result>(
  from: Delivery,
  act: () => Promise<Result>,
): Promise<Result | Refused> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { from, problem: error };
  }
}

const refusedSignals: Refusals = {
  log: "signal refused",
  notification: ({ from, problem }, replyTo) =>
    signalRefusalOf(problem, {
      ...namesIn(from),
      replyTo,
      correlationId: from.correlationId,
    }),
};

/** What a message that was refused says of its signal, which may be anything. */
function namesIn({ body }: Delivery) {
  const { name, id, taskId } = fieldsIn(body);
  const task = textOf(taskId);
  return { name: textOf(name), id: textOf(id), taskId: task !== null && isId(task) ? task : null };
}

const textOf = (field: Json | undefined): string | null =>
  typeof field === "string" ? field : null;

function fieldsIn(body: Buffer): { readonly [field: string]: Json } {
  try {
    return { ...TaskSignal.decode(body) };
  } catch (error) {
    const json = error instanceof MalformedMessage ? error.json : undefined;
    return typeof json === "object" && json !== null ? (json as never) : {};
  }
}
