import type { LaneFacts, StepFacts, TaskFacts } from "@holdfast/state-store";

/** What can be seen at the broker; null: the broker could not be reached. */
export interface BrokerFacts {
  /** Why it takes no messages at the moment; null: it does. */
  readonly blocked: string | null;
  /** How many Schedulers listen for replies. */
  readonly schedulers: number;
  /** How many consumers each Agent has; null: it has no queue. */
  readonly consumers: Readonly<Record<string, number | null>>;
}

/** All that an answer is made of. */
export interface Facts extends TaskFacts {
  readonly broker: BrokerFacts | null;
}

const idle = {
  inFlight: 0,
  paused: null,
  instances: 0,
  slots: [],
  broken: 0,
  brokenUntil: null,
  breaker: null,
};

export const laneOf = ({ lanes }: Facts, agent: string): LaneFacts =>
  lanes.find((lane) => lane.agent === agent) ?? { agent, ...idle };

export const stepNamed = ({ steps }: Facts, name: string): StepFacts | undefined =>
  steps.find((step) => step.name === name);

export const isDone = ({ processState }: StepFacts): boolean =>
  processState === "processed" || processState === "skipped";

export const isSettled = (step: StepFacts): boolean =>
  isDone(step) || step.processState === "error" || step.processState === "cancelled";
