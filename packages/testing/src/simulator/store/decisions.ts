import { canonicalJson, decidedBy, type Instant, type Step } from "@holdfast/domain";
import { makeDue, type StoredTask } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";
import { decisionOn, decisionsAbout } from "./stored-decisions.ts";

type Deciding = Pick<AtOnce<SimulatedStore>, "recordDecision" | "findDecisions">;
type NewDecision = Parameters<Deciding["recordDecision"]>[0];
type Outcome = ReturnType<Deciding["recordDecision"]>;
type Refused = Extract<Outcome, { kind: "refused" }>;

/** Takes what people decide, and lists it. */
export const deciding = (state: StoreState): Deciding => ({
  recordDecision: (decision) => record(state, decision),
  findDecisions: ({ taskId, step }) =>
    (state.tasks.get(taskId)?.decisions ?? [])
      .filter((row) => step === null || row.step === step)
      .toSorted((one, other) => (one.step < other.step ? -1 : Number(one.step > other.step)))
      .map((row) => ({ taskId, ...row })),
});

function record({ tasks, now, watchers }: StoreState, given: NewDecision): Outcome {
  const { taskId, step: name, actor: id, actorName, decision, reason, form, quorum } = given;
  const stored = tasks.get(taskId);
  const step = stored?.task.steps.get(name);
  if (stored === undefined || step === undefined) return unknownTask;
  const said = decisionsAbout(stored, name);
  const first = said.find((one) => one.id === id);
  if (first !== undefined) {
    return isSame(first, given)
      ? counted(first.at, { said, quorum, replayed: true })
      : refused("approval.decided_already", stored, { step, now: now() });
  }
  if (step.processState === "waiting") {
    return refused("approval.not_open", stored, { step, now: now() });
  }
  if (isOver(stored, step, now())) return refused("approval.over", stored, { step, now: now() });
  const at = new Date(now()).toISOString();
  const row = { step: name, id, name: actorName, decision, reason, form, at };
  stored.decisions.push(row);
  const outcome = counted(at, { said: [...said, row], quorum, replayed: false });
  if (outcome.isDecided) makeDue(stored, name, now());
  for (const watcher of watchers) watcher.counted?.(stored, row);
  return outcome;
}

const unknownTask = {
  kind: "refused",
  code: "task.unknown",
  decisions: [],
  outcome: null,
} as const satisfies Refused;

type Said = Pick<NewDecision, "decision" | "reason" | "form">;

const isSame = (one: Said, other: Said): boolean =>
  one.decision === other.decision &&
  one.reason === other.reason &&
  canonicalJson(one.form) === canonicalJson(other.form);

interface Voices {
  readonly said: Parameters<typeof decidedBy>[1];
  readonly quorum: number;
  readonly replayed: boolean;
}

const counted = (at: string, { said, quorum, replayed }: Voices) => ({
  kind: "counted" as const,
  at,
  replayed,
  approvals: said.filter(({ decision }) => decision === "approve").length,
  isDecided: decidedBy({ quorum }, said) !== null,
});

interface Asked {
  readonly step: Step;
  readonly now: Instant;
}

const refused = (code: Refused["code"], stored: StoredTask, { step, now }: Asked): Refused => ({
  kind: "refused",
  code,
  decisions: decisionsAbout(stored, step.plan.name),
  outcome: outcomeOf(stored, step, now),
});

/** What has come of a step that people decide; null: nothing yet. */
function outcomeOf(stored: StoredTask, step: Step, now: Instant): Refused["outcome"] {
  switch (step.processState) {
    case "processed":
      return "approved";
    case "error":
      return step.faultCode === "approval.rejected" ? "rejected" : "expired";
    case "cancelled":
    case "skipped":
      return "cancelled";
    case "awaiting":
      return outcomeOfOpen(stored, step, now);
    case "waiting":
    case "pending":
    case "processing":
      return null;
  }
}

/** What has come of a step that has not ended yet. */
function outcomeOfOpen(stored: StoredTask, step: Step, now: Instant): Refused["outcome"] {
  const decided = decisionOn(stored, step);
  if (decided !== null) return decided === "approval" ? "approved" : "rejected";
  return hasExpired(stored, step, now) ? "expired" : null;
}

/** Whether there is nothing more to decide. */
const isOver = (stored: StoredTask, step: Step, now: Instant): boolean =>
  step.processState !== "awaiting" ||
  decisionOn(stored, step) !== null ||
  hasExpired(stored, step, now);

/**
 * Whether its time has passed, which stands still while the task is paused or halted, or a fault of
 * its own is about to end it.
 */
const hasExpired = ({ pausedAt, task }: StoredTask, step: Step, now: Instant): boolean =>
  step.processState === "awaiting" &&
  (step.faultCode !== null ||
    (task.processState !== "halted" &&
      step.notBefore !== null &&
      step.notBefore <= (pausedAt ?? now)));
