import {
  type ApprovalDefinition,
  type Change,
  canonicalJson,
  type Json,
  type Step,
  stepsOf,
  type Task,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { DecisionOfStep, DecisionOutcome, NewDecision } from "@holdfast/state-store";
import { epoch, type StoredTask, type StoreWatcher } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import { peopleOf } from "./plan-decisions.ts";
import type { Order } from "./scenario.ts";
import { isHeldUpIn, noteStanding, type Standing, type Standings } from "./standings.ts";
import type { World } from "./world.ts";

/** What one person has said, as the store kept it. */
type Voice = Omit<DecisionOfStep, "taskId">;

/** What is known of one step that people decide. All instants are of simulated time. */
interface ApprovalFacts {
  readonly terms: ApprovalDefinition;
  readonly taskId: string;
  /** The ids of those who may decide. */
  readonly mayDecide: ReadonlySet<string>;
  readonly voices: Voice[];
  openedAt: number | null;
  /** When its time is over; null: never. */
  endsAt: number | null;
  /** When enough had approved, or one had rejected; null: not yet. */
  decidedAt: number | null;
  /** When it ended or was given up; null: not yet. */
  closedAt: number | null;
  /** When people were reminded last; null: they were not. */
  remindedAt: number | null;
}

/** What people have decided, and how the tasks stand. */
interface ApprovalRecord {
  readonly approvals: Map<string, ApprovalFacts>;
  readonly standings: Standings;
}

/** Holds against its own record what the store saves and answers about decisions. */
export interface ApprovalJudge extends StoreWatcher {
  answered(said: NewDecision, sentAt: number, outcome: DecisionOutcome): void;
}

/**
 * Milliseconds after it came, or after all is healed, within which a decision takes effect, and
 * people are reminded.
 */
const endsWithin = 8_000;

const isApproval = (step: object): step is ApprovalDefinition => "audience" in step;

const idOf = (taskId: string, step: string): string => `${taskId} ${step}`;

const rejects = ({ decision }: Pick<Voice, "decision">): boolean => decision === "reject";

function noteTask(
  { approvals }: ApprovalRecord,
  { task: { taskId }, input }: StoredTask,
  { definition, orders }: { definition: WorkflowDefinition; orders: readonly Order[] },
): void {
  const { order } = input as { readonly order: string };
  const submittedBy = orders.find(({ name }) => name === order)?.submittedBy;
  for (const terms of definition.steps.filter(isApproval)) {
    // Of the values that say so there is one in these workflows: what the order is called.
    const excluded = [
      ...(terms.excludesSubmitter ? [submittedBy] : []),
      ...(terms.excludes.length > 0 ? [order] : []),
    ];
    const able = peopleOf(order).filter(
      ({ id, approves }) => approves.includes(terms.audience) && !excluded.includes(id),
    );
    approvals.set(idOf(taskId, terms.name), {
      terms,
      taskId,
      mayDecide: new Set(able.map(({ id }) => id)),
      voices: [],
      openedAt: null,
      endsAt: null,
      decidedAt: null,
      closedAt: null,
      remindedAt: null,
    });
  }
}

function open({ timeline }: World, known: ApprovalFacts, step: Step): void {
  if (step.processState !== "awaiting") return;
  known.openedAt = timeline.now;
  known.endsAt = step.notBefore === null ? null : step.notBefore - epoch;
}

/** Whether the time of a step is over, which stands still while its task is paused. */
function hasExpired({ timeline }: World, { standings }: ApprovalRecord, known: ApprovalFacts) {
  const now = standings.get(known.taskId)?.pausedSince ?? timeline.now;
  // Both clocks count whole milliseconds.
  return known.endsAt !== null && now > known.endsAt + 1;
}

function count(world: World, record: ApprovalRecord, { task }: StoredTask, voice: Voice): void {
  const { step, id, decision } = voice;
  const { accuse, timeline } = world;
  const witness = () => `${nameOf(task.taskId, step)}: ${decision} by ${id}`;
  world.tell("store", witness);
  const known = record.approvals.get(idOf(task.taskId, step));
  if (known === undefined) return accuse("only what people decide is decided", witness);
  if (!known.mayDecide.has(id)) accuse("only those decide who are asked and may", witness);
  if (known.voices.some((one) => one.id === id)) accuse("each person has one voice", witness);
  if (known.openedAt === null) accuse("nothing is decided before it begins", witness);
  if (known.closedAt !== null) accuse("nothing is decided after its end", witness);
  if (known.decidedAt !== null) accuse("nothing is counted after what decides", witness);
  if (hasExpired(world, record, known)) accuse("no decision counts after its deadline", witness);
  known.voices.push(voice);
  const ids = new Set(known.voices.map((one) => one.id));
  if (rejects(voice) || ids.size >= known.terms.quorum) known.decidedAt ??= timeline.now;
}

/** Whether nothing more of a step is to be decided. */
const isOver = (world: World, record: ApprovalRecord, known: ApprovalFacts): boolean =>
  known.closedAt !== null || known.decidedAt !== null || hasExpired(world, record, known);

const isSame = (said: NewDecision, { decision, reason, form }: Voice): boolean =>
  said.decision === decision &&
  said.reason === reason &&
  canonicalJson(said.form) === canonicalJson(form);

interface Answer {
  readonly said: NewDecision;
  readonly sentAt: number;
  readonly outcome: DecisionOutcome;
}

function judgeAnswer(
  world: World,
  record: ApprovalRecord,
  { said, sentAt, outcome }: Answer,
): void {
  const { accuse } = world;
  const { taskId, step, actor } = said;
  const witness = () => `${nameOf(taskId, step)}: ${said.decision} by ${actor}`;
  const known = record.approvals.get(idOf(taskId, step));
  if (known === undefined) return accuse("only what people decide is answered", witness);
  const mine = known.voices.find(({ id }) => id === actor);
  if (outcome.kind === "counted") {
    if (mine === undefined || !isSame(said, mine) || mine.at !== outcome.at) {
      accuse("a decision that was counted is kept as it was said", witness);
    }
    if (outcome.isDecided && known.decidedAt === null) {
      accuse("what is said to be decided is decided", witness);
    }
    return;
  }
  const isRight = {
    "task.unknown": false,
    "approval.decided_already": mine !== undefined && !isSame(said, mine),
    "approval.not_open": known.openedAt === null || known.openedAt >= sentAt,
    "approval.over": mine === undefined && isOver(world, record, known),
  }[outcome.code];
  if (!isRight) {
    accuse("a decision is refused for what is so", () => `${witness()}: ${outcome.code}`);
  }
}

interface End {
  readonly stored: StoredTask;
  readonly change: Change;
  readonly by: string;
  /** How the task stood before. */
  readonly standing: Standing | undefined;
}

/** What ends a step is what people have decided, or else its deadline. */
function judgeEnd(world: World, known: ApprovalFacts, { stored, change, by, standing }: End): void {
  const { accuse } = world;
  const { voices, terms, decidedAt } = known;
  const witness = () => `${nameOf(known.taskId, terms.name)}: ${change.action} by ${by}`;
  const hasRejected = voices.some(rejects);
  switch (by) {
    case "approval":
      if (hasRejected || new Set(voices.map(({ id }) => id)).size < terms.quorum) {
        accuse("as many different people approve a step as its workflow says", witness);
      }
      if (change.action !== "fire") accuse("what is approved is done", witness);
      judgeOutput(world, known, stored.outputs.get(terms.name) ?? null);
      break;
    case "rejection":
      if (!hasRejected) accuse("a step is rejected by one who rejects it", witness);
      if (change.action !== "lapse") accuse("what is rejected has failed", witness);
      if (isHeldUpIn(standing)) {
        accuse("no rejection takes effect while its task is paused or halted", witness);
      }
      break;
    case "deadline":
      if (decidedAt !== null) accuse("what is decided wins over the deadline", witness);
      if (change.reason !== reasons[terms.onDeadline]) {
        accuse("a deadline decides as the workflow says", witness);
      }
      break;
    default:
      accuse("only its audience or its deadline decides a step", witness);
  }
}

/** The reasons in the history of what deadlines decide. */
const reasons = { approve: null, reject: "approval.rejected", fail: "wait.expired" } as const;

function judgeOutput({ accuse }: World, { taskId, terms, voices }: ApprovalFacts, output: Json) {
  const { by, form, decision } = Object(output) as Readonly<Record<string, Json>>;
  const expected = {
    decision: "approved",
    form: voices.at(-1)?.form ?? null,
    by: voices.map(({ id, name, at, reason }) => ({ id, name, at, reason })),
  };
  if (canonicalJson({ by, form, decision }) !== canonicalJson(expected)) {
    accuse("a step returns who approved it, and the form of the last", () =>
      nameOf(taskId, terms.name),
    );
  }
}

/** What is decided takes effect soon, and who has not decided is reminded until then. */
function judgeTimes(world: World, known: ApprovalFacts, standing: Standing | undefined): void {
  const { accuse, timeline, healedAt } = world;
  const { terms, decidedAt, openedAt, remindedAt, endsAt, voices } = known;
  const witness = () => nameOf(known.taskId, terms.name);
  if (healedAt === null || openedAt === null) return;
  const { goesOnSince = 0 } = standing ?? {};
  if (decidedAt !== null) {
    const from = Math.max(decidedAt, healedAt, voices.some(rejects) ? goesOnSince : 0);
    if (timeline.now > from + endsWithin) accuse("what is decided takes effect soon", witness);
  }
  if (terms.remindAfter === null) return;
  const since = Math.max(remindedAt ?? openedAt, healedAt, goesOnSince);
  const until = Math.min(timeline.now, decidedAt ?? timeline.now, endsAt ?? timeline.now);
  if (until > since + terms.remindAfter + endsWithin) {
    accuse("who has not decided is reminded", witness);
  }
}

function judgeReminder(world: World, record: ApprovalRecord, known: ApprovalFacts): void {
  const { accuse, timeline } = world;
  const { terms, openedAt, remindedAt } = known;
  const witness = () => nameOf(known.taskId, terms.name);
  if (openedAt === null || isOver(world, record, known)) {
    accuse("no one is reminded of what is not to be decided", witness);
  }
  const since = timeline.now - (remindedAt ?? openedAt ?? 0);
  if (since + 1 < (terms.remindAfter ?? Number.POSITIVE_INFINITY)) {
    accuse("people are reminded no more often than the workflow says", witness);
  }
  known.remindedAt = timeline.now;
}

/**
 * Moves on deadlines that lay ahead when their task was paused, once it goes on. Returns how the task
 * stood before.
 */
function moveDeadlines(
  { timeline }: World,
  record: ApprovalRecord,
  task: Task,
): Standing | undefined {
  const { taskId, paused } = task;
  const before = noteStanding(record.standings, task, timeline.now);
  const since = before?.pausedSince ?? null;
  if (since !== null && !paused) {
    for (const known of record.approvals.values()) {
      if (known.taskId !== taskId || known.endsAt === null || known.endsAt <= since) continue;
      known.endsAt += timeline.now - since;
    }
  }
  return before;
}

/** Keeps its own record of what people decide, and holds what the store saves against it. */
export function judgeApprovals(world: World, orders: readonly Order[]): ApprovalJudge {
  const record: ApprovalRecord = { approvals: new Map(), standings: new Map() };
  const knownOf = ({ taskId }: Task, { plan }: Step) =>
    record.approvals.get(idOf(taskId, plan.name));
  return {
    submitted(stored, definition) {
      noteTask(record, stored, { definition, orders });
      for (const step of stepsOf(stored.task)) {
        const known = knownOf(stored.task, step);
        if (known !== undefined) open(world, known, step);
      }
    },

    claimed() {},

    confirmed() {},

    resent() {},

    counted: (stored, voice) => count(world, record, stored, voice),

    reminded({ task }, step) {
      const known = knownOf(task, step);
      world.tell("store", () => `${nameOf(task.taskId, step.plan.name)}: reminded`);
      if (known !== undefined) judgeReminder(world, record, known);
    },

    decided(stored, reports) {
      const { task } = stored;
      const standing = moveDeadlines(world, record, task);
      for (const { reportedEvent, changes } of reports) {
        const { event } = reportedEvent;
        const by = event.kind === "waitEnded" ? event.by : "";
        for (const change of changes) {
          const { action, step } = change;
          const known = knownOf(task, step);
          if (known === undefined) continue;
          if (action === "open") open(world, known, step);
          if (action === "fire" || action === "lapse") {
            judgeEnd(world, known, { stored, change, by, standing });
            judgeTimes(world, known, standing);
          }
          if (step.processState !== "awaiting" && step.processState !== "waiting") {
            known.closedAt ??= world.timeline.now;
          }
        }
      }
    },

    answered: (said, sentAt, outcome) => judgeAnswer(world, record, { said, sentAt, outcome }),
  };
}
