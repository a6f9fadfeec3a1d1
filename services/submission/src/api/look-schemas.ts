import { Type } from "typebox";
import { taskStates } from "../search/task-states.ts";
import { ref } from "./describe.ts";
import { Instant, Json, named, nullable, Text } from "./schema-parts.ts";

const Count = Type.Integer();

const Attempt = named("Attempt", {
  step: Text,
  kind: Type.Enum(["call", "compensation"]),
  undoes: nullable(Text),
  attempt: Count,
  agent: Text,
  lockedBy: Text,
  claimedAt: Instant,
  startedAt: nullable(Instant),
  heartbeatAt: nullable(Instant),
  completeBy: nullable(Instant),
  endedAt: nullable(Instant),
  outcome: Type.Enum(["running", "processed", "failed", "expired", "requeued", "cancelled"]),
  faultCode: nullable(Text),
  faultDetail: nullable(Text),
  progress: nullable(
    Type.Object({ percent: Type.Optional(Type.Number()), note: Type.Optional(Text) }),
  ),
  input: Json,
  output: Json,
});

/** What operators look at. */
export const lookSchemas: readonly Type.TSchema[] = [
  Attempt,
  named("Attempts", {
    items: Type.Array(ref("Attempt")),
    waits: Type.Array(
      Type.Object({ step: Text, from: Instant, until: nullable(Instant), reason: Text }),
    ),
    lateReplies: Type.Array(
      Type.Object({
        step: nullable(Text),
        attempt: nullable(Count),
        at: Instant,
        reason: Text,
        sender: nullable(Text),
      }),
    ),
    truncated: Type.Boolean({ description: "There are more than are shown." }),
  }),
  named("Explanation", {
    taskId: Text,
    workflow: Text,
    state: Type.Enum([...taskStates]),
    sentence: Text,
    evidence: Type.Array(Text),
    turnOf: nullable(Text),
  }),
  named("Examination", {
    at: Instant,
    ok: Type.Boolean(),
    findings: Type.Array(
      Type.Object({
        check: Text,
        severity: Type.Enum(["ok", "warning", "error"]),
        sentence: Text,
        advice: nullable(Text),
      }),
    ),
  }),
  named("Verification", {
    at: Instant,
    ok: Type.Boolean(),
    tasks: Count,
    complete: Type.Boolean(),
    violations: Type.Array(Type.Object({ rule: Text, taskId: nullable(Text), sentence: Text })),
  }),
];
