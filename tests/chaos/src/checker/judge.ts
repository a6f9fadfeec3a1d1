import { legalTaskTransitions, stepTransitions } from "@holdfast/domain";
import { endOf, type SampleKind } from "@holdfast/orders";
import type { Evidence, LedgerEntry, StepRow, StoreEvent, TaskRow } from "./evidence.ts";
import { type IndexedEvidence, indexEvidence, isDisturbed } from "./indexed-evidence.ts";
import { judgeAttempts } from "./judge-attempts.ts";
import { doubles, judgeEffects } from "./judge-effects.ts";
import { judgeReports } from "./judge-reports.ts";
import { classifyOrders, judgeSubmissions } from "./judge-submissions.ts";
import { measureRecovery, type Recovery } from "./measure-recovery.ts";
import type { Invariant, Violation } from "./violation.ts";

const judges = [
  judgeSubmissions,
  judgeEndings,
  judgeEffects,
  judgeAttempts,
  judgeMoves,
  judgeReports,
  judgeLeftovers,
  judgeHealth,
  judgeIdentity,
];

/** What a run came to. */
export interface Verdict {
  /** Nothing was wrong, and the run was hard enough to show it. */
  readonly valid: boolean;
  /** Orders that were accepted. */
  readonly orders: number;
  readonly attempted: number;
  readonly faults: number;
  readonly classes: number;
  readonly lost: number;
  /** Orders by message that went down with a wiped broker. */
  readonly forfeited: number;
  /** Orders that were never acknowledged, and yet are there. */
  readonly recovered: number;
  readonly doubled: number;
  readonly stuck: number;
  readonly processed: number;
  readonly undone: number;
  readonly staleReplies: number;
  readonly violations: readonly Violation[];
  /** Why the run proves nothing. */
  readonly vacuous: readonly string[];
  readonly recovery: Readonly<Record<string, Recovery>>;
}

/** Judges a run by what its witnesses say. Pure: the same evidence, the same verdict. */
export function judge(evidence: Evidence): Verdict {
  const book = indexEvidence(evidence);
  const violations = judges.flatMap((one) => one(book));
  const vacuous = vacuityOf(book);
  const { attempted, acknowledged, lost, forfeited, recovered } = classifyOrders(book);
  const inState = (state: string) => book.tasks.filter((task) => task.state === state).length;
  const [processed, undone] = [inState("processed"), inState("undone")];
  const fired = book.faults.filter(({ error }) => error === null);
  return {
    valid: violations.length === 0 && vacuous.length === 0,
    orders: acknowledged,
    attempted,
    faults: fired.length,
    classes: new Set(fired.map((fault) => fault.class)).size,
    lost,
    forfeited,
    recovered,
    doubled: [...book.ledgerOf].flatMap(([taskId, own]) => doubles({ taskId }, own)).length,
    stuck: book.tasks.length - processed - undone,
    processed,
    undone,
    staleReplies: book.rejectedReplies.length,
    violations,
    vacuous,
    recovery: measureRecovery(book.faults, book.tasks),
  };
}

const ended: ReadonlySet<string> = new Set(["processed", "undone"]);

/** I3: each order has come to the one end that is right for it, and nothing happened afterwards. */
function judgeEndings(book: IndexedEvidence): readonly Violation[] {
  const kinds = new Map(book.history.map(({ key, kind }) => [key, kind]));
  return book.tasks.flatMap((task) => [
    ...unended(task),
    ...wrongEnd(task, task.key === null ? undefined : kinds.get(task.key)),
    ...afterlife(task, book.eventsOf.get(task.taskId) ?? []),
  ]);
}

const violation = (taskId: string, what: string): Violation => ({ invariant: "I3", taskId, what });

function unended({ taskId, state, finishedAt }: TaskRow): readonly Violation[] {
  if (!ended.has(state)) return [violation(taskId, `it is still ${state}`)];
  return finishedAt === null ? [violation(taskId, "it ended, but at no time")] : [];
}

/** The failure threshold is set so high that no fault we inject can turn a good order around. */
function wrongEnd({ taskId, state }: TaskRow, kind: SampleKind | undefined): readonly Violation[] {
  if (kind === undefined || !ended.has(state) || state === endOf(kind)) return [];
  return [violation(taskId, `a ${kind} order is ${state}`)];
}

function afterlife({ taskId }: TaskRow, events: readonly StoreEvent[]): readonly Violation[] {
  const end = events.findIndex(({ step, to }) => step === null && ended.has(to));
  const after =
    end === -1 ? undefined : events.slice(end + 1).find((event) => !sameMoment(event, events[end]));
  return after === undefined ? [] : [violation(taskId, `${after.action} came after its end`)];
}

/** The moves of one decision share its transaction, and their order says nothing. */
const sameMoment = (one: StoreEvent, other: StoreEvent | undefined): boolean =>
  one.at === other?.at && one.actor === other.actor;

/**
 * Milliseconds that a transaction may be idle. A process that is frozen in the middle of one can do
 * nothing about it: the store ends it after 10 s, and needs a moment for it.
 */
const longestIdle = 11_000;
/** Milliseconds within which every request to submission is answered, whatever is broken. */
const answeredWithin = 20_000;

/** I15 and I16: nothing lies around, nothing is held, every question is answered. */
function judgeHealth(book: IndexedEvidence): readonly Violation[] {
  return [...overdue(book), ...held(book), ...unanswered(book)];
}

const found = (invariant: Invariant, what: string): Violation => ({
  invariant,
  taskId: null,
  what,
});

function overdue({ samples, faults, plan: { recoveryMs } }: IndexedEvidence): readonly Violation[] {
  return samples
    .filter(({ overdueMs }) => overdueMs > recoveryMs)
    .filter(({ at }) => !isDisturbed(faults, at, { grace: recoveryMs }))
    .map(({ overdueMs }) => found("I15", `a step was overdue for ${Math.round(overdueMs)} ms`));
}

function held({ samples, plan }: IndexedEvidence): readonly Violation[] {
  return samples.flatMap(({ idleInTransactionMs: idle, connections }) => [
    ...(idle > longestIdle
      ? [found("I16", `a transaction was idle for ${Math.round(idle)} ms`)]
      : []),
    ...(connections > plan.maxConnections
      ? [found("I16", `${connections} connections to the store`)]
      : []),
  ]);
}

const unanswered = ({ history }: IndexedEvidence): readonly Violation[] =>
  history
    .filter(({ type, tookMs }) => type !== "invoke" && tookMs > answeredWithin)
    .map(({ key, tookMs }) => found("I16", `${key} was answered after ${Math.round(tookMs)} ms`));

/**
 * I17: what a step returned is what its own partner's ledger says that it answered. A reply of
 * another Agent, had it been applied, would have left what it says.
 */
function judgeIdentity(book: IndexedEvidence): readonly Violation[] {
  return book.steps
    .filter(({ kind, state }) => kind === "call" && state === "processed")
    .filter((step) => !isOwn(step, book.ledgerOf.get(step.taskId) ?? []))
    .map(({ taskId, name, output }): Violation => {
      const what = `${name} returned ${JSON.stringify(output)}, which its partner did not say`;
      return { invariant: "I17", taskId, what };
    });
}

function isOwn({ taskId, name, output }: StepRow, entries: readonly LedgerEntry[]): boolean {
  // An assessment leaves no trace at the partner; its answer has a form of its own.
  if (name === "assess-risk") return hasField(output, "score");
  const entry = entries.find(
    ({ kind, key }) => kind === "applied" && key === `${taskId}:${name}:do`,
  );
  return entry !== undefined && saysTheSame(output, entry.answer ?? {});
}

const hasField = (value: unknown, field: string): boolean =>
  typeof value === "object" && value !== null && field in value;

function saysTheSame(output: unknown, answer: Readonly<Record<string, unknown>>): boolean {
  if (typeof output !== "object" || output === null) return false;
  return Object.entries(output).every(([field, value]) => answer[field] === value);
}

/** I14 and I18: the queues are empty, and what was set aside is where a person looks. */
function judgeLeftovers(book: IndexedEvidence): readonly Violation[] {
  return [...fullQueues(book), ...unexplainedDeadLetters(book), ...wrongAlerts(book)];
}

const fullQueues = ({ queues }: IndexedEvidence): readonly Violation[] =>
  queues
    .filter(({ messages }) => messages > 0)
    .map(({ queue, messages }): Violation => {
      return { invariant: "I14", taskId: null, what: `${messages} messages are left in ${queue}` };
    });

function unexplainedDeadLetters({ deadLetters, poison }: IndexedEvidence): readonly Violation[] {
  const expected = new Set(poison);
  return deadLetters
    .filter(({ messageId }) => messageId === null || !expected.has(messageOf(messageId)))
    .map(({ queue, messageId }): Violation => {
      return { invariant: "I14", taskId: null, what: `${messageId} died in ${queue}` };
    });
}

/** The deliveries of a bundle are named after their message, with a number. */
const messageOf = (messageId: string): string => messageId.split(" ")[0] ?? "";

function wrongAlerts({ events, alerts }: IndexedEvidence): readonly Violation[] {
  const halts = countBy(
    events.filter(({ step, to }) => step === null && to === "halted").map(({ taskId }) => taskId),
  );
  const told = countBy(alerts.map(({ taskId }) => taskId));
  return [...new Set([...halts.keys(), ...told.keys()])]
    .filter((taskId) => halts.get(taskId) !== told.get(taskId))
    .map((taskId): Violation => {
      const what = `${told.get(taskId) ?? 0} alerts for ${halts.get(taskId) ?? 0} halts`;
      return { invariant: "I18", taskId, what };
    });
}

const countBy = (ids: readonly string[]): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));

const stepMoves: ReadonlySet<string> = new Set(
  Object.entries(stepTransitions).flatMap(([action, moves]) =>
    Object.entries(moves).map(([from, to]) => `${action} ${from} ${to}`),
  ),
);
const taskMoves: ReadonlySet<string> = new Set(
  Object.entries(legalTaskTransitions).flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`)),
);

/** I8: the history is an unbroken path through the state machines, and leads to what is stored. */
function judgeMoves(book: IndexedEvidence): readonly Violation[] {
  return book.tasks.flatMap(({ taskId, state }) => {
    const events = book.eventsOf.get(taskId) ?? [];
    const byStep = Map.groupBy(events, ({ step }) => step);
    const stored = new Map<string | null, string>([[null, state]]);
    for (const step of book.stepsOf.get(taskId) ?? []) stored.set(step.name, step.state);
    return [...byStep].flatMap(([name, moves]) =>
      faultsOf(moves, stored.get(name)).map((what): Violation => {
        return { invariant: "I8", taskId, what: `${name ?? "the task"}: ${what}` };
      }),
    );
  });
}

function faultsOf(moves: readonly StoreEvent[], stored: string | undefined): readonly string[] {
  const illegal = moves.filter((move) => !isLegal(move));
  const broken = moves.filter(({ from }, index) => {
    const before = moves[index - 1];
    return before !== undefined && before.to !== from;
  });
  const last = moves.at(-1)?.to;
  return [
    ...illegal.map(({ action, from, to }) => `${action} from ${from} to ${to} is not legal`),
    ...broken.map(({ action, from }) => `${action} from ${from}, where it was not`),
    ...(last === stored ? [] : [`it was last ${last}, and is stored as ${stored}`]),
  ];
}

function isLegal({ step, action, from, to }: StoreEvent): boolean {
  if (step !== null) return stepMoves.has(`${action} ${from} ${to}`);
  return from === null ? action === "submit" : taskMoves.has(`${from} ${to}`);
}

const enoughOrders = 0.95;
const enoughFaults = 0.8;
/** Faults that leave replies which Schedulers must refuse. */
const staleMakers: ReadonlySet<string> = new Set(["evil-replies", "agent-frozen"]);

/** Why this run proves nothing; empty: it does. */
function vacuityOf({ plan, history, faults, rejectedReplies }: IndexedEvidence): readonly string[] {
  const submitted = new Set(history.map(({ key }) => key)).size;
  const fired = faults.filter(({ error }) => error === null);
  const classes = new Set(fired.map((fault) => fault.class));
  const missing = plan.classes.filter((name) => !classes.has(name));
  const mustBeStale = plan.classes.some((name) => staleMakers.has(name));
  return [
    ...(submitted >= plan.orders * enoughOrders
      ? []
      : [`${submitted} of ${plan.orders} orders were submitted`]),
    ...(fired.length >= plan.faults * enoughFaults
      ? []
      : [`${fired.length} of ${plan.faults} faults were injected`]),
    ...missing.map((name) => `no fault of the class ${name} was injected`),
    ...(mustBeStale && rejectedReplies.length === 0 ? ["no stale reply was refused"] : []),
  ];
}
