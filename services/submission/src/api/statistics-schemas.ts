import { Type } from "typebox";
import { Instant, nullable, Text } from "./schema-parts.ts";

const Count = Type.Integer();
const Ms = nullable(Type.Number());

const counts = {
  submitted: Count,
  processed: Count,
  compensated: Count,
  halted: Type.Integer({ description: "How often tasks began to wait for an operator." }),
  attempts: Type.Integer({ description: "Attempts that began." }),
  failedAttempts: Count,
  undone: Type.Integer({ description: "Steps that were undone." }),
  latencyMs: nullable(Type.Object({ p50: Type.Number(), p95: Type.Number(), p99: Type.Number() })),
};

const Statistics = Type.Object(
  {
    from: Instant,
    until: Instant,
    bucketMs: Count,
    rolledUpTo: nullable(Instant),
    behind: Type.Integer({ description: "Entries of the history that are not counted yet." }),
    buckets: Type.Array(Type.Object({ at: Instant, ...counts }), { maxItems: 400 }),
    workflows: Type.Array(Type.Object({ workflow: Text, ...counts }), { maxItems: 200 }),
  },
  { $id: "Statistics" },
);

const Need = Type.Object({
  kind: Type.Enum(["halted", "breaker", "deadLetters", "paused", "agentSilent", "outbox", "alert"]),
  count: Count,
  sentence: Text,
  since: nullable(Instant),
  page: Type.String({ description: "Of the console." }),
});

const AgentAtWork = Type.Object({
  name: Text,
  instances: Count,
  slots: Type.Number(),
  inFlight: Count,
  due: Type.Integer({ description: "Counted no further than to 1,000." }),
  oldestDueMs: Ms,
  p50Ms: Ms,
  p95Ms: Ms,
  okPercent: nullable(Type.Number()),
  breaker: Type.Enum(["closed", "open", "half-open"]),
  breakerUntil: nullable(Instant),
  heldSteps: Count,
  paused: Type.Boolean(),
  seenAt: nullable(Instant),
});

const Seen = Type.Array(Type.Object({ instance: Text, seenAt: Instant }));

const Overview = Type.Object(
  {
    at: Instant,
    states: Type.Object({
      pending: Count,
      processing: Count,
      compensating: Count,
      error: Count,
      processed: Count,
      compensated: Count,
    }),
    perMinute: Type.Object({ submitted: Type.Number(), ended: Type.Number() }),
    oldestDueMs: Ms,
    needsYou: Type.Array(Need),
    agents: Type.Array(AgentAtWork),
    schedulers: Seen,
    supervisors: Seen,
  },
  { $id: "Overview" },
);

const FailureGroup = Type.Object({
  fingerprint: Text,
  workflow: Text,
  step: nullable(Text),
  faultCode: Text,
  message: Type.String({ description: "Numbers, ids and quoted values are replaced by #." }),
  count: Count,
  open: Type.Integer({ description: "Tasks that wait for an operator now, at most 1,000." }),
  firstAt: Instant,
  lastAt: Instant,
  sample: Type.Array(Text, { maxItems: 3 }),
  filter: Type.Object(
    {
      fingerprint: Text,
      createdAt: Type.Optional(
        Type.Object({ $gte: Type.Optional(Text), $lt: Type.Optional(Text) }),
      ),
    },
    { description: "Of a search for these tasks." },
  ),
});

const Failures = Type.Object(
  { groups: Type.Array(FailureGroup, { maxItems: 100 }), truncated: Type.Boolean() },
  { $id: "Failures" },
);

/** The named schemas of what is counted and grouped. */
export const statisticsSchemas: readonly Type.TSchema[] = [Statistics, Overview, Failures];
