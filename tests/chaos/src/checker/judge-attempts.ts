import type { StepRow, StoreEvent } from "./evidence.ts";
import type { IndexedEvidence } from "./indexed-evidence.ts";
import type { Invariant, Violation } from "./violation.ts";

/** What ends an attempt. */
const endings: ReadonlySet<string> = new Set([
  "complete",
  "retry",
  "coolDown",
  "requeue",
  "fail",
  "cancel",
]);
const counted: ReadonlySet<string> = new Set(["retry", "coolDown", "fail"]);

/** I6, I7, I9 and I11: who had a step, when, and how often it failed. */
export function judgeAttempts(book: IndexedEvidence): readonly Violation[] {
  return book.steps.flatMap((step) => {
    const events = book.eventsOf.get(step.taskId)?.filter((event) => event.step === step.name);
    const { failureThreshold } = book.plan;
    return judgeStep(step, { events: events ?? [], failureThreshold });
  });
}

interface Life {
  readonly events: readonly StoreEvent[];
  readonly failureThreshold: number;
}

function judgeStep(step: StepRow, { events, failureThreshold }: Life): readonly Violation[] {
  const found = (invariant: Invariant, what: string): Violation => {
    return { invariant, taskId: step.taskId, what: `${step.name}: ${what}` };
  };
  const claims = events
    .filter(({ action }) => action === "claim")
    .map(({ attempt }) => attempt ?? 0);
  const twice = claims.filter((attempt, index) => claims.indexOf(attempt) !== index);
  const backwards = claims.some((attempt, index) => attempt < (claims[index - 1] ?? 0));
  return [
    ...twice.map((attempt) => found("I6", `attempt ${attempt} was claimed twice`)),
    ...(backwards ? [found("I7", `claimed as ${claims.join()}`)] : []),
    ...(step.attempt === claims.length
      ? []
      : [found("I7", `attempt ${step.attempt} of ${claims.length} claims`)]),
    ...staleEndings(events).map((what) => found("I11", what)),
    ...miscounts(step, { events, failureThreshold }).map((what) => found("I9", what)),
  ];
}

/** Each claim may be ended once, and only the latest one. */
function staleEndings(events: readonly StoreEvent[]): readonly string[] {
  let inHand: number | null = null;
  return events.flatMap(({ action, attempt, from }) => {
    if (action === "claim") inHand = attempt;
    if (!endings.has(action) || from !== "processing") return [];
    const owner = inHand;
    inHand = null;
    return attempt === owner ? [] : [`${action} of attempt ${attempt}, with ${owner} in hand`];
  });
}

function miscounts(step: StepRow, { events, failureThreshold }: Life): readonly string[] {
  const { failureCount, state } = step;
  if (failureCount > failureThreshold) return [`${failureCount} failures are too many`];
  const since = events.slice(events.findLastIndex(({ action }) => action === "resubmit") + 1);
  const failures = since.filter(({ action }) => counted.has(action)).length;
  const expected = state === "processed" ? 0 : Math.min(failures, failureThreshold);
  return failureCount === expected ? [] : [`${failureCount} failures, where ${expected} happened`];
}
