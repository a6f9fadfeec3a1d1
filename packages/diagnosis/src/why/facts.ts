import type { LaneFacts, StepFacts, TaskFacts } from "@holdfast/state-store";
import type { BrokerView } from "../causes/system-facts.ts";

/** All that an answer is made of. */
export interface Facts extends TaskFacts {
  readonly broker: BrokerView;
}

const idle = {
  inFlight: 0,
  paused: null,
  instances: 0,
  slots: [],
  broken: 0,
  brokenUntil: null,
  lastSeen: null,
  announces: false,
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
