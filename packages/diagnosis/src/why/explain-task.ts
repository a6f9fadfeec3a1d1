import { agentsOfLane } from "@holdfast/domain";
import type { StoreInspector } from "@holdfast/state-store";
import { type BrokerAddress, observeBroker } from "../causes/observe-broker.ts";
import { unseenBroker } from "../causes/system-facts.ts";
import { type Explanation, explain, turnIn } from "./explain.ts";
import type { Facts } from "./facts.ts";

/** A task, and why it is where it is. */
export interface ExplainedTask extends Explanation {
  readonly workflow: string;
  readonly processState: Facts["processState"];
  /** Who is ahead of the step that it waits for, while that is due; null: it waits for something else. */
  readonly turnOf: string | null;
  /** Whether the broker was seen. False: it may be the reason all the same. */
  readonly sawBroker: boolean;
}

interface Sources {
  readonly store: Pick<StoreInspector, "findTaskFacts">;
  /** The address of the broker; null: it is not looked at. */
  readonly broker: BrokerAddress | null;
}

/** Looks at both servers, and says what a task waits for or how it ended; null: there is none of that id. */
export async function explainTask(
  { store, broker: address }: Sources,
  taskId: string,
): Promise<ExplainedTask | null> {
  const task = await store.findTaskFacts(taskId);
  if (task === null) return null;
  const agents = [...new Set(task.steps.flatMap(({ agent }) => agentsOfLane(agent)))];
  const broker = address === null ? unseenBroker : await observeBroker(address, agents);
  const facts: Facts = { ...task, broker };
  const { workflow, processState } = task;
  return {
    workflow,
    processState,
    ...explain(facts),
    turnOf: turnIn(facts),
    sawBroker: broker.schedulers !== null,
  };
}
