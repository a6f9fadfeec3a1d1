import type { StepReply } from "@holdfast/contracts";
import type {
  Goal,
  ProcessingStep,
  StepDefinition,
  StepState,
  TaskState,
  WorkflowDefinition,
} from "@holdfast/domain";
import { epoch, type Host } from "@holdfast/testing/simulator";
import type { World } from "./world.ts";

/** What is true of one attempt, whether or not a process knows it. */
export interface AttemptFacts {
  readonly step: ProcessingStep;
  /** The instant of the claim in simulated time, as all instants here. */
  readonly claimedAt: number;
  /** The broker has had its request. */
  isStored: boolean;
  /** It may have been published a second time. */
  isResent: boolean;
  /** A Scheduler has had the confirm. */
  isConfirmed: boolean;
  /** A reply to it waits in a queue, and no Scheduler has it. */
  isAnswerWaiting: boolean;
  /**
   * When which Agent's process took it, and how many copies of it that process holds
   * unacknowledged.
   */
  readonly takenBy: Map<Host, { readonly firstAt: number; lastAt: number; copies: number }>;
  /**
   * Which Agent's processes acknowledged it before they answered: right only where they refuse it.
   */
  readonly acknowledgedEarly: Set<Host>;
  /** What Agents have said of it while they were at work on it, and when. */
  readonly signs: { readonly at: number; readonly runningMs: number }[];
  /** When the last heartbeat was published that its Agent knows the broker to have. */
  confirmedBeatAt: number;
  /** When the last heartbeat was published that a Scheduler has recorded. */
  lastBeatAt: number;
  /** What Agents really made of it: more than one, where it was asked for again. */
  readonly outcomes: StepReply["outcome"][];
  /**
   * The instant until which the broker took nothing, since before an Agent first wanted to answer;
   * null: it took the answer.
   */
  unansweredUntil: number | null;
}

/** Whether an Agent is at work on it, which still has time and has not answered. */
export const isAtWork = (
  { step, takenBy, outcomes }: AttemptFacts,
  { timeline }: Pick<World, "timeline">,
): boolean =>
  outcomes.length === 0 &&
  // A process that begins later than that was frozen, which none can know.
  timeline.now + epoch < step.completeBy &&
  [...takenBy].some(
    ([host, { firstAt, copies }]) =>
      host.isAlive && copies > 0 && timeline.now <= firstAt + step.plan.completeWithin,
  );

/** Whether an Agent that took it then has no time left. */
export const isOver = (
  { step, confirmedBeatAt }: AttemptFacts,
  { takenAt, now }: { readonly takenAt: number; readonly now: number },
): boolean => {
  const { completeWithin, extendUpTo = completeWithin } = step.plan;
  const extended = Math.min(confirmedBeatAt + completeWithin, takenAt + extendUpTo);
  return now > Math.max(takenAt + completeWithin, extended);
};

/** The earliest instant at which an attempt may count as silent. */
export function timeOf({ step, signs, lastBeatAt }: AttemptFacts): number {
  if (signs.length === 0) return step.completeBy - epoch;
  const { completeWithin, extendUpTo = completeWithin } = step.plan;
  const starts = signs.map(({ at, runningMs }) => at - runningMs);
  // One that began late had been frozen: nothing is given it for that.
  const startedAt = Math.min(step.startBy - epoch, ...starts);
  const beaten = Math.min(lastBeatAt + completeWithin, startedAt + extendUpTo);
  return Math.max(startedAt + completeWithin, beaten);
}

/** What is true of one step, and what its history has said so far. */
export interface StepFacts {
  /** The definition of the call that it is, or undoes. */
  readonly definition: StepDefinition;
  state: StepState;
  /** The Agent of its last attempt. */
  agent: string | null;
  attempt: number;
  failureCount: number;
  mayHaveEffect: boolean;
  /** How often the remote service did it, less how often it undid it. */
  net: number;
  readonly keys: Set<string>;
}

export interface TaskFacts {
  readonly definition: WorkflowDefinition;
  /** What it was submitted for. */
  readonly order: string;
  readonly wanted: boolean;
  readonly steps: Map<string, StepFacts>;
  processState: TaskState;
  goal: Goal;
}

/** All that really happened in one schedule. */
export interface Facts {
  readonly tasks: Map<string, TaskFacts>;
  /** Attempts by the id of the request's message. */
  readonly attempts: Map<string, AttemptFacts>;
  /** When the broker took nothing from publishers. */
  readonly needs: { readonly from: number; readonly to: number }[];
}

export const attemptId = (taskId: string, step: string, attempt: number): string =>
  `${taskId}:${step}:${attempt}`;

/** Whether a step is a call, and no undo. */
export const isCall = (step: string): boolean => !step.includes(":");

/** Ids are long, and in one schedule their ends tell them apart. */
export const short = (text: string): string =>
  text.replaceAll(/0{8}-0000-4000-8000-0{4}([0-9a-f]{8})/g, (_, end: string) =>
    String(Number.parseInt(end, 16)),
  );

export const nameOf = (taskId: string, step = ""): string => `task ${short(taskId)} ${step}`.trim();

export const isSkipped = ({ wanted }: TaskFacts, { onlyIf }: StepDefinition): boolean =>
  onlyIf !== null && !wanted;
