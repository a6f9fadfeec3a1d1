import { isStatusQueue, parseJson } from "@holdfast/contracts";
import { ChangedJson, type Json } from "@holdfast/domain";
import type { Logger } from "@holdfast/runtime";
import type {
  EnqueuedSignal,
  EnqueuedSignalRefusal,
  NewSignal,
  SubmissionStore,
} from "@holdfast/state-store";
import { applicationName } from "./access/application-names.ts";
import { inboxTaker } from "./inbox-rounds.ts";
import type { RefusedSubmission } from "./make-tasks.ts";
import { changedPayload, Problem } from "./problem.ts";
import { signalRefusalOf } from "./refuse-deliveries.ts";
import type { SignalSender } from "./send-signal.ts";

interface SignalInboxDependencies {
  readonly store: Pick<
    SubmissionStore,
    "claimEnqueuedSignals" | "deleteEnqueuedSignals" | "refuseEnqueuedSignals"
  >;
  readonly sender: Pick<SignalSender, "read" | "write">;
  readonly log: Pick<Logger, "warn" | "error">;
}

type Refused = RefusedSubmission<EnqueuedSignal>;

/**
 * Hands signals that applications have sent in their transactions to their tasks: those of one
 * look. One that is handed over twice, because a process crashed, is the same signal. Resolves to
 * whether there were any.
 */
export function takeEnqueuedSignals(deps: SignalInboxDependencies): () => Promise<boolean> {
  const { store, log } = deps;
  return inboxTaker<EnqueuedSignal>({
    claim: (request) => store.claimEnqueuedSignals(request),
    take: (rows) => hand(rows, deps),
    refuse: (refused) => refuse(refused, deps),
    onFailed: (err, row) => log.error({ err, taskId: row?.taskId }, "enqueued signal failed"),
  });
}

/** Hands signals to their tasks in one transaction, and says which were refused. */
async function hand(
  rows: readonly EnqueuedSignal[],
  { store, sender }: SignalInboxDependencies,
): Promise<readonly Refused[]> {
  const read = await Promise.all(rows.map((from) => readRow(from, sender)));
  const signals = read.filter((one) => "signal" in one);
  const written = await sender.write(signals.map(({ signal }) => signal));
  const refused = signals.flatMap(({ from }, index): readonly Refused[] => {
    const taken = written[index]!;
    return taken instanceof Problem ? [{ from, problem: taken }] : [];
  });
  const taken = signals.filter((_, index) => !(written[index] instanceof Problem));
  const numbers = taken.map(({ from }) => from.number);
  if (numbers.length > 0) await store.deleteEnqueuedSignals({ numbers });
  return [...read.filter((one) => "problem" in one), ...refused];
}

async function readRow(
  from: EnqueuedSignal,
  sender: Pick<SignalSender, "read">,
): Promise<{ readonly from: EnqueuedSignal; readonly signal: NewSignal } | Refused> {
  const { taskId, name, signalId: id, sentBy } = from;
  try {
    const payload = payloadOf(from);
    const by = sentBy ?? applicationName(from);
    return { from, signal: await sender.read(taskId, { name, id, payload, sentBy: by }) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { from, problem: error };
  }
}

function payloadOf({ payload }: EnqueuedSignal): Json {
  try {
    return parseJson(Buffer.from(payload));
  } catch (error) {
    if (error instanceof ChangedJson) throw changedPayload(error.faults, "");
    if (!(error instanceof SyntaxError)) throw error;
    const why = `The payload cannot be read: ${error.message}.`;
    throw new Problem(400, "request.not_json", why);
  }
}

async function refuse(
  refused: readonly Refused[],
  { store, log }: SignalInboxDependencies,
): Promise<void> {
  await store.refuseEnqueuedSignals(refused.map(refusalIn));
  for (const { from, problem } of refused) {
    const { code, message: detail, errors } = problem;
    const pointers = errors.slice(0, 5).map(({ pointer }) => pointer);
    log.warn({ taskId: from.taskId, code, detail, pointers }, "signal refused");
  }
}

function refusalIn({ from, problem }: Refused): EnqueuedSignalRefusal {
  const { number, name, signalId: id, taskId, replyTo, correlationId } = from;
  return {
    number,
    code: problem.code,
    detail: problem.message,
    errors: problem.errors,
    notification:
      replyTo !== null && isStatusQueue(replyTo)
        ? signalRefusalOf(problem, { name, id, taskId, replyTo, correlationId })
        : null,
  };
}
