import { quantileOf } from "@holdfast/domain";
import type {
  FailureGroup,
  OperationsStore,
  StatisticsBucket,
  SubjectTotals,
} from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { describe, ref } from "../api/describe.ts";
import { invalidRequest } from "../problem.ts";
import { instantOf, nameOf, readInstant } from "../search/list-query.ts";
import type { WorkflowDirectory } from "../workflow-directory.ts";
import type { readOverview } from "./overview.ts";

const workflowName = nameOf("The name of a workflow with its version.");
const closed = { additionalProperties: false };

const StatisticsQuery = Type.Object(
  {
    from: instantOf(
      "When it begins: an instant, or a time from now, such as -1h; a day ago unless it is set.",
    ),
    until: instantOf("When it ends: an instant, or a time from now; now unless it is set."),
    workflow: workflowName,
  },
  closed,
);
const FailuresQuery = Type.Object(
  {
    workflow: workflowName,
    createdFrom: instantOf("Submitted then or later: an instant, or a time from now, such as -1h."),
    createdBefore: instantOf("Submitted before then: an instant, or a time from now, such as -1h."),
  },
  closed,
);

const day = 86_400_000;
/** A time that dates can hold, and no longer ago than a table of months can be. */
const latest = Date.parse("2200-01-01T00:00:00Z");

/** The range that is asked for: the last day, unless it is said. */
function rangeOf({ from, until }: Static<typeof StatisticsQuery>, now: number) {
  const end = Math.min(readInstant(until, "until", now) ?? now, latest);
  const start = Math.max(0, readInstant(from, "from", now) ?? end - day);
  if (start < end) return { from: start, until: end };
  throw invalidRequest([{ pointer: "/from", detail: "must be before `until`" }]);
}

interface OverviewDependencies {
  readonly store: OperationsStore;
  /** The overview, at most a second old. */
  readonly overview: () => ReturnType<typeof readOverview>;
  readonly directory: Pick<WorkflowDirectory, "versionsOf">;
  readonly onRequest: onRequestAsyncHookHandler;
}

/** What operators look at: what needs them now, what happened over time, and what failed alike. */
export function overviewRoutes(app: FastifyInstance, deps: OverviewDependencies): void {
  overviewRoute(app, deps);
  statisticsRoute(app, deps);
  failuresRoute(app, deps);
}

function overviewRoute(app: FastifyInstance, { overview, onRequest }: OverviewDependencies): void {
  const schema = describe({
    id: "getOverview",
    tag: "statistics",
    summary: "How the system is, and what needs an operator.",
    description:
      "At most a second old. Open tasks are counted now, tasks that ended over the last 24 hours, Agents over the last 15 minutes.",
    answers: { "200": { words: "As of `at`.", schema: ref("Overview") } },
  });
  app.get("/v1/overview", { onRequest, schema }, overview);
}

function statisticsRoute(
  app: FastifyInstance,
  { store, directory, onRequest }: OverviewDependencies,
): void {
  const schema = describe({
    id: "getStatistics",
    tag: "statistics",
    summary: "What happened over time, of everything or of one workflow.",
    description:
      "At most 400 buckets of equal width, whatever the range: the last day, unless it is said. A quantile is at most 10 % wrong. The Supervisors count: `rolledUpTo` says until when, and `behind` how many entries of the history are not counted yet.",
    answers: { "200": { words: "Every bucket of the range.", schema: ref("Statistics") } },
  });
  app.get<{ Querystring: Static<typeof StatisticsQuery> }>(
    "/v1/statistics",
    { onRequest, schema: { ...schema, querystring: StatisticsQuery } },
    async ({ query }) => {
      const now = Date.now();
      const range = rangeOf(query, now);
      const asked = query.workflow;
      const workflows = asked === undefined ? null : await directory.versionsOf(asked);
      const [{ buckets, ...statistics }, totals, progress] = await Promise.all([
        store.findStatistics({ ...range, now, workflows }),
        store.findTotals({ ...range, now, of: "workflow" }),
        store.findStatisticsProgress(),
      ]);
      const { from, until, bucketMs } = statistics;
      return {
        from: iso(from),
        until: iso(until),
        bucketMs,
        rolledUpTo: progress.countedAt?.toISOString() ?? null,
        behind: progress.behind,
        buckets: everyBucket(buckets, statistics).map(bucketResource),
        workflows: totals
          .filter(({ subject }) => workflows === null || workflows.includes(subject))
          .map(totalsResource),
      };
    },
  );
}

function failuresRoute(
  app: FastifyInstance,
  { store, directory, onRequest }: OverviewDependencies,
): void {
  const schema = describe({
    id: "listFailures",
    tag: "statistics",
    summary: "Failures that are alike, in groups, the latest first.",
    description:
      "Alike are failures of one workflow, step and fault code whose messages differ in numbers, ids and quoted values alone. `count` is how often they happened; with a range of time, how many tasks of that range failed so, counted no further than to 1,000.",
    answers: { "200": { words: "At most 100.", schema: ref("Failures") } },
  });
  app.get<{ Querystring: Static<typeof FailuresQuery> }>(
    "/v1/failures",
    { onRequest, schema: { ...schema, querystring: FailuresQuery } },
    async ({ query: { workflow, ...range } }) => {
      const workflows = workflow === undefined ? null : await directory.versionsOf(workflow);
      const createdFrom = readInstant(range.createdFrom, "createdFrom");
      const createdBefore = readInstant(range.createdBefore, "createdBefore");
      const found = await store.findFailures({ workflows, createdFrom, createdBefore });
      return {
        groups: found.groups.map((group) => groupResource(group, range)),
        truncated: found.truncated || found.groups.some(({ hasMore }) => hasMore),
      };
    },
  );
}

function everyBucket(
  found: readonly StatisticsBucket[],
  { from, until, bucketMs }: { from: number; until: number; bucketMs: number },
): readonly StatisticsBucket[] {
  const known = new Map(found.map((bucket) => [bucket.at, bucket]));
  return Array.from({ length: Math.round((until - from) / bucketMs) }, (_, place) => {
    const at = from + place * bucketMs;
    return known.get(at) ?? { ...nothing, at };
  });
}

const nothing = {
  submitted: 0,
  processed: 0,
  undone: 0,
  halted: 0,
  attempts: 0,
  failedAttempts: 0,
  undoneSteps: 0,
  durations: [],
};

const bucketResource = ({ at, durations, ...counts }: StatisticsBucket) => ({
  at: iso(at),
  ...counts,
  latencyMs: latencyOf(durations),
});

const totalsResource = ({ subject, durations, ...counts }: SubjectTotals) => ({
  workflow: subject,
  ...counts,
  latencyMs: latencyOf(durations),
});

const latencyOf = (durations: StatisticsBucket["durations"]) =>
  quantileOf(durations, 1) === null
    ? null
    : {
        p50: quantileOf(durations, 0.5),
        p95: quantileOf(durations, 0.95),
        p99: quantileOf(durations, 0.99),
      };

interface Range {
  readonly createdFrom?: string;
  readonly createdBefore?: string;
}

function groupResource(
  { fingerprint, workflow, step, faultCode, message, count, open, sample, ...group }: FailureGroup,
  { createdFrom: from, createdBefore: before }: Range,
) {
  const createdAt = {
    ...(from === undefined ? {} : { $gte: from }),
    ...(before === undefined ? {} : { $lt: before }),
  };
  return {
    fingerprint,
    workflow,
    step: step === "" ? null : step,
    faultCode,
    message,
    count,
    open,
    firstAt: group.firstAt.toISOString(),
    lastAt: group.lastAt.toISOString(),
    sample,
    filter: {
      fingerprint,
      ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }),
    },
  };
}

const iso = (at: number): string => new Date(at).toISOString();
