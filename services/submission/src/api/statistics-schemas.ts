import { breakerStates } from "@holdfast/domain";
import { Type } from "typebox";
import { needKinds } from "../overview/needs-you.ts";
import { amount, count, flag, instant, nullable, text } from "./schema-parts.ts";

const counts = {
  submitted: count("Tasks that were submitted."),
  processed: count("Tasks that ended processed."),
  undone: count("Tasks that ended undone."),
  halted: count("How often tasks began to wait for an operator."),
  attempts: count("Attempts that began."),
  failedAttempts: count("Attempts that failed or expired."),
  undoneSteps: count("Steps that were undone."),
  latencyMs: nullable(
    Type.Object(
      {
        p50: amount("Half of the tasks took no longer."),
        p95: amount("95 of 100 tasks took no longer."),
        p99: amount("99 of 100 tasks took no longer."),
      },
      { description: "How many milliseconds tasks took to their end; null: none ended." },
    ),
  ),
};

const Statistics = Type.Object(
  {
    from: instant("When the range begins."),
    until: instant("When the range ends."),
    bucketMs: count("How long each bucket is, in milliseconds."),
    rolledUpTo: nullable(instant("Up to when all is counted.")),
    behind: count("Entries of the history that are not counted yet."),
    buckets: Type.Array(Type.Object({ at: instant("When it begins."), ...counts }), {
      maxItems: 400,
      description: "The range in equal parts.",
    }),
    workflows: Type.Array(Type.Object({ workflow: text("With its version."), ...counts }), {
      maxItems: 200,
      description: "The range by workflow.",
    }),
  },
  { $id: "Statistics", description: "What happened over a range of time." },
);

const Need = Type.Object({
  kind: Type.Enum(Object.keys(needKinds) as (keyof typeof needKinds)[], {
    description: "What it is about.",
  }),
  count: count("How many tasks, steps or messages."),
  sentence: text("What it is, since when, and how much waits."),
  act: nullable(text("The one act that helps; null: the sentence has it.")),
  since: nullable(instant("Since when; null: not known.")),
  page: text("Of the console."),
});

const AgentAtWork = Type.Object({
  name: text("Its name."),
  instances: count("How many are there."),
  slots: amount("The slots of its instances together."),
  inFlight: count("Steps that it works on, or has been asked for."),
  due: count("Counted no further than to 1,000."),
  oldestDueMs: nullable(amount("For how long the oldest due step waits, in milliseconds.")),
  p50Ms: nullable(amount("Half of its recent attempts took no longer, in milliseconds.")),
  p95Ms: nullable(amount("95 of 100 recent attempts took no longer, in milliseconds.")),
  okPercent: nullable(amount("Of its recent attempts: how many succeeded.")),
  breaker: Type.Enum([...breakerStates], {
    description: "Of the remote service that it wraps.",
  }),
  breakerUntil: nullable(instant("When one step is tried.")),
  heldSteps: count("Due steps that the breaker holds back."),
  paused: flag("Whether an operator paused it."),
  seenAt: nullable(instant("When its last heartbeat came.")),
});

const seen = (description: string) =>
  Type.Array(
    Type.Object({
      instance: text("Its name, by host and process."),
      seenAt: instant("When it last said that it is there."),
    }),
    { description },
  );

const Overview = Type.Object(
  {
    at: instant("When it was looked at."),
    states: Type.Object(
      {
        pending: count("No step has begun."),
        processing: count("Goes forward."),
        undoing: count("Is being undone."),
        halted: count("Waits for an operator."),
        processed: count("Has ended well."),
        undone: count("Is undone."),
      },
      { description: "Open tasks by their state, and those that ended in the last day." },
    ),
    perMinute: Type.Object(
      { submitted: amount("Tasks submitted."), ended: amount("Tasks ended.") },
      { description: "Of the last four minutes." },
    ),
    oldestDueMs: nullable(amount("For how long the oldest due step waits, in milliseconds.")),
    needsYou: Type.Array(Need, { description: "What waits for an operator, most urgent first." }),
    agents: Type.Array(AgentAtWork, { description: "By name." }),
    schedulers: seen("The living ones."),
    supervisors: seen("The living ones."),
  },
  { $id: "Overview", description: "How the system is, and what needs an operator." },
);

const FailureGroup = Type.Object({
  fingerprint: text("Stands for workflow, step, code and message."),
  workflow: text("With its version."),
  step: nullable(text("The step that failed.")),
  faultCode: text("Why."),
  message: text("Numbers, ids and quoted values are replaced by #."),
  count: count("How many tasks failed so."),
  open: count("Tasks that wait for an operator now, at most 1,000."),
  firstAt: instant("When the first of them failed."),
  lastAt: instant("When the last of them failed."),
  sample: Type.Array(Type.String(), { maxItems: 3, description: "Ids of some of these tasks." }),
  filter: Type.Object(
    {
      fingerprint: text("Of this group."),
      createdAt: Type.Optional(
        Type.Object(
          {
            $gte: Type.Optional(text("Then or later.")),
            $lt: Type.Optional(text("Before then.")),
          },
          { description: "When they were submitted." },
        ),
      ),
    },
    { description: "Of a search for these tasks." },
  ),
});

const Failures = Type.Object(
  {
    groups: Type.Array(FailureGroup, { maxItems: 100, description: "The latest first." }),
    truncated: flag("There are more than are shown."),
  },
  { $id: "Failures", description: "Failures that are alike, in groups." },
);

/** The named schemas of what is counted and grouped. */
export const statisticsSchemas: readonly Type.TSchema[] = [Statistics, Overview, Failures];
