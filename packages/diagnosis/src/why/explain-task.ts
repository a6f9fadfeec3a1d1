import { agentsOfLane, PermanentFault } from "@holdfast/domain";
import type { EnqueuedFacts, StoreInspector } from "@holdfast/state-store";
import { findCauses } from "../causes/find-causes.ts";
import { type BrokerAddress, observeBroker } from "../causes/observe-broker.ts";
import { type SystemSources, systemFacts, unseenBroker } from "../causes/system-facts.ts";
import { instant } from "../print/instant.ts";
import { wordsOf } from "./causes-of-step.ts";
import { type Explanation, explain, turnIn } from "./explain.ts";
import type { Facts } from "./facts.ts";

/** A task, and why it is where it is. */
export interface ExplainedTask extends Explanation {
  readonly workflow: string;
  readonly processState: Facts["processState"];
  /**
   * Who is ahead of the step that it waits for, while that is due; null: it waits for something
   * else.
   */
  readonly turnOf: string | null;
  /** Whether the broker was seen. False: it may be the reason all the same. */
  readonly sawBroker: boolean;
}

interface Sources {
  readonly store: Pick<
    StoreInspector,
    "findTaskFacts" | "findEnqueued" | "findInbox" | "findInstances"
  >;
  /** The address of the broker; null: it is not looked at. */
  readonly broker: BrokerAddress | null;
}

/**
 * Looks at both servers, and says what a task waits for or how it ended; null: there is none of
 * that id. Throws a `PermanentFault` for a submission of the inbox that was refused.
 */
export async function explainTask(
  { store, broker: address }: Sources,
  taskId: string,
): Promise<ExplainedTask | null> {
  const task = await store.findTaskFacts(taskId);
  if (task === null) return explainSubmission(store, taskId);
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

/** Says what an enqueued submission waits for. */
async function explainSubmission(
  store: Sources["store"],
  taskId: string,
): Promise<ExplainedTask | null> {
  const enqueued = await store.findEnqueued(taskId);
  if (enqueued === null) return null;
  const { workflow, code, detail } = enqueued;
  if (workflow === null) {
    const message = `The submission ${taskId} was refused: ${detail} (${code})`;
    throw new PermanentFault("task.submission_refused", message);
  }
  const [inbox, instances] = [await store.findInbox({ within: 0 }), await store.findInstances()];
  const sentence = enqueuedSentence(enqueued, { now: Date.now(), inbox, instances });
  return {
    workflow,
    processState: "pending",
    sentence,
    evidence: [],
    steps: [],
    turnOf: null,
    // It has no part in this.
    sawBroker: true,
  };
}

/** What a submission waits for until it is a task: why none is made, if that is known. Pure. */
export function enqueuedSentence(
  { submitter, waitingFor }: Pick<EnqueuedFacts, "submitter" | "waitingFor">,
  { now, inbox, instances }: Pick<SystemSources, "now" | "inbox" | "instances">,
): string {
  const waits = `It was enqueued by ${submitter} at ${instant(now - (waitingFor ?? 0), now)}, and is no task yet.`;
  const known = { now, inbox, instances, broker: unseenBroker, unproven: [], outages: [] };
  const causes = findCauses(systemFacts({ ...known, pauses: [], agents: [], remotes: [] }));
  const cause = causes.find(({ kind }) => kind === "inbox");
  return cause === undefined
    ? `${waits} A process of submission is about to make it one.`
    : `${waits} ${wordsOf(cause)}`;
}
