import { type ApprovalPlan, excludedFrom, isFinished, lookupIn, stepsOf } from "@holdfast/domain";
import { wakeHint } from "@holdfast/messaging";
import type { DecisionOutcome, NewDecision } from "@holdfast/state-store";
import {
  type AtOnce,
  type Host,
  type MemoryStore,
  type Role,
  type SimulatedStore,
  type StoredTask,
  startHost,
} from "@holdfast/testing/simulator";
import type { ApprovalJudge } from "./judge-approvals.ts";
import { type Person, type PlannedDecision, peopleOf } from "./plan-decisions.ts";
import type { PortsOf } from "./ports.ts";
import { pause, taskOf } from "./run-senders.ts";
import type { Order } from "./scenario.ts";
import type { World } from "./world.ts";

interface DeciderOptions {
  readonly orders: readonly Order[];
  /** What knows the tasks of orders, and what the workflow says of their steps. */
  readonly memory: MemoryStore;
  /** The store as the mutant that is tried has it. */
  readonly store: AtOnce<SimulatedStore>;
  readonly portsOf: PortsOf;
  readonly judge: ApprovalJudge;
  /** Who may not decide, as the mutant that is tried has it. */
  readonly excluded: (ids: readonly string[]) => readonly string[];
}

/**
 * Milliseconds until what was not answered, or is not open yet, is decided again: twice as long each
 * time, up to the longest.
 */
const retryAfter = { first: 40, longest: 1_000 };
/** Milliseconds for which a person comes back. */
const patience = 10_000;
/** Milliseconds by which a decision may come later, or come again. */
const delay = 900;

/** Decides what each person decides about each order from a process of its own. */
export function runDeciders(world: World, options: DeciderOptions): { readonly left: number } {
  let left = 0;
  for (const order of options.orders) {
    for (const planned of order.decisions ?? []) {
      left += 1;
      const over = () => {
        left -= 1;
      };
      decideFrom(world, options, { order, planned, over });
    }
  }
  decideAtLast(world, options);
  return {
    get left() {
      return left;
    },
  };
}

interface Deciding {
  readonly order: Order;
  readonly planned: PlannedDecision;
  readonly over: () => void;
}

function decideFrom(
  world: World,
  options: DeciderOptions,
  { order, planned, over }: Deciding,
): void {
  const name = `${planned.person.id} ${planned.n}`;
  const host = startHost(world, { name, role: "client" satisfies Role });
  host.onDeath(over);
  const { store, broker } = options.portsOf(host);
  const hint = wakeHint(broker);
  const message = { world, host, store, options, order, planned };
  const late = world.strikes("decisionLate") ? world.random.below(delay) : 0;
  const decide = async (): Promise<void> => {
    await decideOne(message);
    hint("waits");
    if (world.strikes("decisionDoubled")) {
      await pause(host, world.random.below(delay));
      await decideOne(message);
      hint("waits");
    }
  };
  world.timeline.after(planned.at + late, () => void decide().then(host.kill));
}

interface Message {
  readonly world: World;
  readonly host: Host;
  readonly store: Pick<SimulatedStore, "recordDecision">;
  readonly options: DeciderOptions;
  readonly order: Order;
  readonly planned: PlannedDecision;
}

/** A person who is not answered decides again; one whose step is not open yet may. */
async function decideOne(message: Message): Promise<void> {
  const { world, host, store, options, order, planned } = message;
  const until = world.timeline.now + patience;
  for (let rest = retryAfter.first; ; rest = Math.min(2 * rest, retryAfter.longest)) {
    const said = decisionOf(options, order, planned);
    if (said === "refused") return;
    const sentAt = world.timeline.now;
    try {
      const outcome = said === null ? null : await store.recordDecision(said);
      if (outcome !== null && said !== null) {
        options.judge.answered(said, sentAt, outcome);
        world.tell(host.name, () => `${said.decision} ${said.step}: ${textOf(outcome)}`);
      }
      if (outcome !== null && !isEarly(outcome)) return;
      if (!planned.isPatient) return;
    } catch {
      // The store may have it, or not.
    }
    if (world.timeline.now > until) return;
    await pause(host, rest);
  }
}

const isEarly = (outcome: DecisionOutcome): boolean =>
  outcome.kind === "refused" && outcome.code === "approval.not_open";

const textOf = (outcome: DecisionOutcome): string =>
  outcome.kind === "refused"
    ? outcome.code
    : `counted${outcome.replayed ? " before" : ""}, ${outcome.approvals} approved`;

/**
 * What a person says of a step, as it is stored. Null: the task is not there yet; `refused`: the
 * person is not of the audience, or may not decide.
 */
function decisionOf(
  { memory, excluded }: DeciderOptions,
  order: Order,
  { step, person, decision, reason, form }: PlannedDecision,
): NewDecision | "refused" | null {
  const taskId = taskOf(memory, order);
  const stored = taskId === null ? undefined : memory.tasks.get(taskId);
  const plan = stored?.task.workflow.steps.get(step);
  if (taskId === null || stored === undefined || plan?.kind !== "approval") return null;
  if (!person.approves.includes(plan.audience)) return "refused";
  const ids = excludedOf(stored, plan);
  if (ids === null || excluded(ids).includes(person.id)) return "refused";
  const { id: actor } = person;
  const { quorum } = plan;
  return { taskId, step, actor, actorName: `${actor} of all`, decision, reason, form, quorum };
}

/** The ids of those who may not decide a step; null: it is not known who they are. */
function excludedOf(
  { submittedBy, input, outputs }: StoredTask,
  { excludes, excludesSubmitter }: ApprovalPlan,
): readonly string[] | null {
  const others = excludedFrom(excludes, lookupIn({ input, outputs }));
  return others === null || !excludesSubmitter || submittedBy === null
    ? others
    : [submittedBy, ...others];
}

/** Milliseconds between two looks at what has no end. */
const interval = 500;
/** Milliseconds after the healing from which on what has no end is decided. */
const forgotten = 10_000;

/** Has what has no end and was forgotten decided, once everything is healed. */
function decideAtLast(world: World, options: DeciderOptions): void {
  const { orders, memory, store, judge } = options;
  const decideAll = (order: Order, stored: StoredTask): void => {
    for (const step of stepsOf(stored.task)) {
      if (step.processState !== "awaiting" || step.notBefore !== null) continue;
      if (step.plan.kind !== "approval") continue;
      const { name } = step.plan;
      const said = peopleOf(order.name).map((person) =>
        decisionOf(options, order, approving(name, person)),
      );
      for (const one of said) {
        if (one === null || one === "refused") continue;
        judge.answered(one, world.timeline.now, store.recordDecision(one));
      }
    }
  };
  const look = (): void => {
    if (world.timeline.now > (world.healedAt ?? 0) + forgotten) {
      for (const order of orders) {
        const stored = memory.tasks.get(taskOf(memory, order) ?? "");
        if (stored !== undefined && !isFinished(stored.task)) decideAll(order, stored);
      }
    }
    world.timeline.aside(interval, look);
  };
  world.onHeal(look);
}

const approving = (step: string, person: Person): PlannedDecision => ({
  n: 0,
  step,
  person,
  decision: "approve",
  reason: "at last",
  form: null,
  at: 0,
  isPatient: false,
});
