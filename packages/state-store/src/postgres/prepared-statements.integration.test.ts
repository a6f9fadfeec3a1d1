import { noMetrics } from "@holdfast/runtime";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { openTestStore, type TestStore, testWorkflow } from "../../test/fixtures.ts";
import { storeContext } from "../open-state-store.ts";
import { bindOperations, type StateStore } from "../roles.ts";
import { openPool } from "./pool.ts";

type Operation = Exclude<keyof StateStore, typeof Symbol.asyncDispose>;
type Store = Pick<StateStore, Operation>;
type Feed = (store: Store, taskIds: readonly string[]) => Promise<unknown>;

/** Operations whose arguments name no task. */
const withoutIds = [
  "activateWorkflow",
  "findActiveVersions",
  "findApprovals",
  "glanceAtInboxes",
  "findAwaitingWorkflows",
  "applyBulkItems",
  "applyPauses",
  "askForProof",
  "claimDueSteps",
  "claimProbe",
  "claimEnqueued",
  "claimEnqueuedSignals",
  "closeBreaker",
  "countMatchingTasks",
  "countStepsInFlight",
  "countTasks",
  "createBulkOperation",
  "deleteSchedule",
  "deleteEnqueuedSignals",
  "deleteExcessMessages",
  "deleteExpiredKeys",
  "deleteFinishedTasks",
  "deleteFreeBusinessKeys",
  "deleteNotifications",
  "deleteOldBulkOperations",
  "deleteOldMessages",
  "deleteOldRecords",
  "deleteOldStatistics",
  "deletePassedFairnessKeys",
  "deleteStaleNotifications",
  "deleteUnclaimedSignals",
  "dropMonth",
  "endProbes",
  "enqueueRefusals",
  "findAgentServices",
  "findAgentSlots",
  "findBreakers",
  "findBrokenServices",
  "findBulkOperation",
  "findBulkWork",
  "findContractDifferences",
  "findChangedTasks",
  "findDeadLetter",
  "findDeadLetterAction",
  "findDeadLetterActions",
  "findDeadLetters",
  "findFailures",
  "findFires",
  "findFleetFacts",
  "findInbox",
  "findInstances",
  "findInvariantViolations",
  "findKnownAgents",
  "findLanes",
  "findOldMonths",
  "findOverview",
  "findPartitionSizes",
  "findPaths",
  "findPauses",
  "findRemotes",
  "findSchedules",
  "findStatistics",
  "findStatisticsProgress",
  "findStoreId",
  "findTaskByKey",
  "findTotals",
  "findUnavailableAgents",
  "findWorkflow",
  "findWorkflowNames",
  "findWorkflows",
  "fireByHand",
  "fireSchedules",
  "fireWaits",
  "forecastBulkOperation",
  "glanceAtInboxes",
  "holdBreakerOpen",
  "holdSignal",
  "listAgents",
  "listBulkItems",
  "listBulkOperations",
  "readClock",
  "makePartitions",
  "measureOutbox",
  "openBreakers",
  "pause",
  "pauseSchedule",
  "ping",
  "putSchedule",
  "raisePathAlert",
  "recordDeadLetters",
  "recordHeartbeats",
  "recordInstance",
  "recordProofs",
  "recordStalledConsumers",
  "refuseEnqueuedSignals",
  "registerWorkflow",
  "reinstateWorkflow",
  "rememberOutage",
  "resume",
  "resumeSchedule",
  "retireWorkflow",
  "rollUp",
  "closeDeadLetter",
  "stageDueSteps",
  "stopBulkOperation",
  "submitTasks",
  "takeNotifications",
  "throttleServices",
  "unconfirmSteps",
  "verifyBulkItems",
] as const satisfies readonly Operation[];

const attempt = { step: "a", attempt: 1, token: "00000000-0000-4000-8000-000000000000" };

/**
 * How each other operation is asked about tasks. One that is new does not compile before it stands
 * in a list.
 */
const asked: Readonly<Record<Exclude<Operation, (typeof withoutIds)[number]>, Feed>> = {
  applyEvents: (store, taskIds) =>
    store.applyEvents(
      taskIds.map((taskId) => ({ taskId, event: { kind: "completed", ...attempt } as const })),
      { actor: "test" },
    ),
  loadValues: (store, taskIds) =>
    store.loadValues({ refs: taskIds.map((taskId) => ({ taskId, name: null })), most: 1_000 }),
  loadCalls: (store, taskIds) => store.loadCalls({ taskIds }),
  sendSignals: (store, taskIds) =>
    store.sendSignals(
      taskIds.map((taskId) => ({
        taskId,
        workflow: "test.v1",
        name: "go",
        id: "1",
        payload: {},
        sentBy: "test",
      })),
    ),
  enqueueSignals: (store, taskIds) =>
    store.enqueueSignals(
      taskIds.map((taskId) => ({
        taskId,
        name: "go",
        signalId: "1",
        payload: {},
        replyTo: null,
        correlationId: null,
        sentBy: "test",
      })),
    ),
  recordDecision: async (store, taskIds) => {
    for (const taskId of taskIds) {
      await store.recordDecision({
        taskId,
        step: "a",
        actor: "ada",
        actorName: "Ada",
        decision: "approve",
        reason: null,
        form: null,
        quorum: 1,
      });
    }
  },
  findDecisions: (store, [taskId = ""]) => store.findDecisions({ taskId, step: null }),
  findSignals: (store, [taskId = ""]) =>
    store.findSignals({ taskId, after: null, most: 1, mostBytes: 1 }),
  hasSignal: (store, [taskId = ""]) => store.hasSignal({ taskId, name: "go", id: "1" }),
  listSignals: async (store, taskIds) => {
    for (const taskId of taskIds) await store.listSignals({ taskId });
  },
  recordRejectedReplies: (store, taskIds) =>
    store.recordRejectedReplies(
      taskIds.map((taskId) => ({
        taskId,
        ...attempt,
        reason: "x",
        sender: null,
        body: Buffer.from("{}"),
      })),
    ),
  recordAttemptSigns: (store, taskIds) =>
    store.recordAttemptSigns(
      taskIds.map((taskId) => ({
        taskId,
        ...attempt,
        agent: "agent",
        runningFor: 1,
        beats: true,
        progress: null,
      })),
    ),
  confirmRequests: (store, taskIds) =>
    store.confirmRequests(taskIds.map((taskId) => ({ taskId, name: "a", attempt: 1 }))),
  takeUnconfirmedSteps: (store, taskIds) =>
    store.takeUnconfirmedSteps({
      resendAfter: 1_000,
      held: taskIds.map((taskId) => ({ taskId, name: "a", attempt: 1 })),
    }),
  refuseEnqueued: (store, taskIds) =>
    store.refuseEnqueued(
      taskIds.map((taskId) => ({
        taskId,
        code: "task.invalid",
        detail: "x",
        errors: [],
        notification: null,
      })),
    ),
  findRefusal: (store, [taskId = ""]) => store.findRefusal({ taskId }),
  findExpired: (store, held) => store.findExpired({ batch: 1, held }),
  findStalledTasks: (store, [after = null]) =>
    store.findStalledTasks({ after, untouchedFor: 1_000 }),
  findTask: (store, [taskId = ""]) => store.findTask({ taskId, tenant: "default" }),
  findTaskWithin: (store, [taskId = ""]) =>
    store.findTaskWithin({ taskId, tenant: "default", mostBytes: 1_000 }),
  findPayloads: (store, [taskId = ""]) =>
    store.findPayloads({ taskId, names: [null, "a"], most: 1_000 }),
  findHistory: (store, [taskId = ""]) =>
    store.findHistory({ taskId, after: null, most: 10, mostBytes: 1_000 }),
  findEvents: (store, [taskId = ""]) => store.findEvents({ taskId }),
  findWorkflowsOf: (store, taskIds) => store.findWorkflowsOf({ taskIds }),
  findFinishedTasks: (store, taskIds) => store.findFinishedTasks({ taskIds }),
  findAttemptFacts: (store, [taskId = ""]) =>
    store.findAttemptFacts({ taskId, most: 1, mostBytes: 1 }),
  findStandings: (store, taskIds) => store.findStandings({ taskIds }),
  findMovesSince: (store, taskIds) =>
    store.findMovesSince({
      followed: taskIds.map((taskId) => ({ taskId, after: "0" })),
      most: 1,
    }),
  findEarlierMove: (store, [taskId = ""]) =>
    store.findEarlierMove({ taskId, seen: "1", overlap: 1_000 }),
  listTasks: (store, [after = null]) =>
    store.listTasks({
      tenant: "default",
      conditions: [],
      createdFrom: null,
      createdBefore: null,
      after,
      most: 1,
    }),
};

let db: TestStore;
let pool: Pool;
let store: Store;
beforeAll(async () => {
  db = await openTestStore();
  pool = openPool({ url: db.url, applicationName: "test", maxConnections: 1 });
  const context = storeContext(pool, {
    events: false,
    optimisations: { scanWindow: false },
    metrics: noMetrics,
  });
  store = bindOperations(context);
  await store.registerWorkflow(testWorkflow([{ name: "go", signal: "go" }]));
  // On the one connection, this look comes before all that follows.
  context.partitions.range();
  await preparedStatements();
});
afterAll(async () => {
  await pool.end();
  await db[Symbol.asyncDispose]();
});

const preparedStatements = async (): Promise<number> =>
  (await pool.query("select name from pg_prepared_statements")).rows.length;

/** An id as of a month after January 1970; an id has room for 107,000 of them. */
const idOfMonth = (month: number): string =>
  `${Date.UTC(1970, month, 14).toString(16).padStart(12, "0")}7abc8def0123456789ab`.replace(
    /^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
    "$1-$2-$3-$4-$5",
  );

test.each(Object.entries(asked))(
  "%s leaves no prepared statement for each month that an id from outside names",
  async (_, ask) => {
    await ask(store, [idOfMonth(0)]);
    const before = await preparedStatements();
    for (let month = 1; month <= 20; month += 1) {
      await ask(store, [idOfMonth(month)]);
      await ask(store, [idOfMonth(month), idOfMonth(month + 1)]);
    }
    expect(await preparedStatements()).toBeLessThanOrEqual(before);
  },
);

test("tasks of a month with a partition have statements that are planned for it", async () => {
  await asked.findStandings(store, [idOfMonth(0)]);
  const before = await preparedStatements();
  const [ofThisMonth] = await db.query<{ id: string }>("select state.new_task_id() as id");
  await asked.findStandings(store, [ofThisMonth!.id]);
  expect(await preparedStatements()).toBe(before + 1);
});
