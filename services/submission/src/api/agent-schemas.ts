import { readings } from "@holdfast/contracts";
import { breakerStates } from "@holdfast/domain";
import { Type } from "typebox";
import { ref } from "./describe.ts";
import {
  amount,
  count,
  flag,
  instant,
  named,
  nullable,
  page,
  text,
  texts,
  wholeList,
} from "./schema-parts.ts";

/** The pause of something that is paused. */
export const Pause = Type.Object(
  { at: instant("Since when."), by: text("Who paused it."), reason: text("Why.") },
  { description: "Who paused it, when and why; null: it goes on." },
);

const breaker = Type.Enum([...breakerStates], {
  description: "`open`: the remote service is left alone. `half-open`: one call is tried.",
});

const AgentInstance = Type.Object({
  name: text("Its name, by host and process."),
  slots: amount("How many steps it performs at a time."),
  inFlight: amount("How many it performs now."),
  breaker,
  openUntil: nullable(instant("Until when its breaker is open.")),
  lastSeen: instant("When its last heartbeat came."),
  living: flag("Whether it is there, by its heartbeats."),
});

const ContractDifference = Type.Object({
  workflow: text("The stored workflow."),
  operation: text("What it asks of the Agent."),
  needed: text("The hash of the contract that it was made with."),
  offered: nullable(text("The hash of theirs; null: they have no such operation.")),
  instances: count("How many living instances have it."),
  names: texts("The names of the first ten of them."),
  reading: Type.Enum([...readings], {
    description:
      "`unfit`: they cannot do what the workflow asks, and get none of its requests. `unknown`: no stored workflow was made with their contract, so each request shows it.",
  }),
  why: text("Why they are unfit; empty: they are not."),
});

const Agent = named("Agent", "An Agent, with what waits for it and its instances.", {
  name: text("Its name."),
  living: count("How many instances are there."),
  slots: amount("The slots of the living instances together."),
  inFlight: count("Steps in the store that it works on, or has been asked for."),
  due: count("Steps that wait to be claimed for it, at most 1,000."),
  oldestDueMs: nullable(amount("For how long the oldest of them waits, in milliseconds.")),
  paused: nullable(Pause),
  instances: Type.Array(AgentInstance, { description: "Seen in the last day." }),
  unfitFor: texts(
    "Workflows that take tasks, and of which living instances cannot do what they ask.",
  ),
  differences: Type.Array(ContractDifference, {
    description:
      "Where living instances have another contract than stored workflows were made with.",
  }),
});

const PauseRecord = named("PauseRecord", "A pause of an Agent or a workflow, in force or ended.", {
  kind: Type.Enum(["agent", "workflow"], { description: "What is paused." }),
  name: text("Its name."),
  actor: text("Who paused it."),
  reason: nullable(text("Why.")),
  pausedAt: instant("Since when."),
  resumedAt: nullable(instant("Until when; null: it is paused now.")),
  resumedBy: nullable(text("Who resumed it.")),
  resumeReason: nullable(text("Why it was resumed.")),
});

const Remote = named("Remote", "A remote service with its circuit breaker.", {
  name: text("The remote service, as `defineAgent` names it."),
  breaker,
  agents: texts("The Agents that wrap it."),
  since: nullable(instant("Since when the breaker stands so.")),
  actor: nullable(text("Who opened or closed it last.")),
  reason: nullable(text("Why.")),
  held: flag("Whether an operator holds it."),
  openUntil: nullable(instant("When one step is tried.")),
  throttledUntil: nullable(instant("Until when the service asked to be left alone.")),
  heldSteps: count("Due steps that it holds back."),
  heldTasks: texts("The ids of the first ten tasks of these steps."),
  probe: nullable(
    Type.Object(
      { taskId: text("Its task."), step: nullable(text("Its name.")) },
      { description: "The step that is tried now." },
    ),
  ),
});

/** The named schemas of Agents, of what is paused, and of remote services. */
export const agentSchemas: readonly Type.TSchema[] = [
  Agent,
  page("Agents", ref("Agent"), "By name."),
  PauseRecord,
  page("Pauses", ref("PauseRecord"), "The latest first."),
  Remote,
  wholeList("Remotes", ref("Remote"), "By name."),
];
