import type { ApprovalDefinition, Vote, WorkflowDefinition } from "@holdfast/domain";
import { type Random, seededRandom } from "@holdfast/testing/simulator";

/** One who may be asked to decide. */
export interface Person {
  readonly id: string;
  /** The audiences of which the person is. */
  readonly approves: readonly string[];
}

/** What one person decides about a step of an order. */
export interface PlannedDecision {
  /** A number that no other has. */
  readonly n: number;
  readonly step: string;
  readonly person: Person;
  readonly decision: Vote;
  readonly reason: string | null;
  readonly form: { readonly n: number } | null;
  /** When, in milliseconds. */
  readonly at: number;
  /** Whether the person comes back while the step has not begun. */
  readonly isPatient: boolean;
}

const people: readonly Person[] = [
  { id: "ann", approves: ["treasury", "legal"] },
  { id: "bob", approves: ["treasury", "legal"] },
  { id: "dan", approves: ["treasury"] },
  { id: "eve", approves: ["treasury", "legal"] },
  { id: "kim", approves: ["press"] },
];

/** Those who may be asked about an order: one of them is called as the order is. */
export const peopleOf = (order: string): readonly Person[] => [
  ...people,
  { id: order, approves: ["treasury"] },
];

/** An order, as far as it matters here. */
interface Placed {
  readonly name: string;
  readonly definition: WorkflowDefinition;
  /** When it is submitted, in milliseconds. */
  readonly at: number;
}

/** What an order is given. */
interface Decided {
  readonly submittedBy?: string;
  readonly pausedAt?: number;
  readonly decisions?: readonly PlannedDecision[];
}

/** The share of orders that are paused while people decide. */
const paused = 0.25;

/**
 * Gives an order who submits it, and what people decide about its steps: some of them too early, too
 * late, twice, in two ways, or though they may not. Some orders are paused meanwhile.
 */
export function withDecisions(seed: number) {
  const random = seededRandom(seed + 6_000_000_037);
  let last = 0;
  const newNumber = () => (last += 1);
  return <Order extends Placed>(order: Order): Order & Decided => {
    const steps = order.definition.steps.filter(isApproval);
    if (steps.length === 0) return order;
    const { forms = {} } = order.definition;
    const decisions = steps.flatMap((step) => {
      const isUnanimous = random.chance(0.5);
      return peopleOf(order.name).flatMap((person) =>
        chooseDecisions(random, {
          order,
          step: step.name,
          person,
          hasForm: Object.hasOwn(forms, step.name),
          rejects: isUnanimous ? 0 : 0.3,
          newNumber,
        }),
      );
    });
    const decided = { ...order, submittedBy: random.pick(people).id, decisions };
    if (!random.chance(paused)) return decided;
    return { ...decided, pausedAt: order.at + 30 + random.below(400) };
  };
}

const isApproval = (step: object): step is ApprovalDefinition => "audience" in step;

interface Choice {
  readonly order: Placed;
  readonly step: string;
  readonly person: Person;
  readonly hasForm: boolean;
  /** The share of those who reject. */
  readonly rejects: number;
  readonly newNumber: () => number;
}

/** What one person decides about one step, mostly while it is open and at the time of others. */
function chooseDecisions(random: Random, choice: Choice): readonly PlannedDecision[] {
  if (!random.chance(0.6)) return [];
  const { order, step, person, rejects, newNumber } = choice;
  const at = order.at + random.below(random.pick([80, 300, 300, 900, 900, 5_000]));
  const said = (decision: Vote): Omit<PlannedDecision, "at"> => {
    const n = newNumber();
    const approves = decision === "approve";
    return {
      n,
      step,
      person,
      decision,
      reason: approves && n % 2 === 0 ? null : `reason ${n}`,
      form: approves && choice.hasForm ? { n } : null,
      isPatient: random.chance(0.7),
    };
  };
  const first = said(random.chance(rejects) ? "reject" : "approve");
  const later = at + random.below(random.pick([20, 600]));
  const changed = first.decision === "approve" && random.chance(0.5) ? "reject" : "approve";
  return [
    { ...first, at },
    ...(random.chance(0.2) ? [{ ...first, at: later }] : []),
    ...(random.chance(0.15) ? [{ ...said(changed), at: later }] : []),
  ];
}
