import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createDatabase,
  type PostgresPair,
  queryOnce,
  startPostgresPair,
} from "@holdfast/local-stack";
import { openLink } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { claimAll, completed, newTask, testWorkflow } from "../../test/fixtures.ts";
import type { ClaimedStep } from "../claim/claimed-step.ts";
import { openInspector } from "../inspect/open-inspector.ts";
import { migrate } from "../migrate/migrate.ts";
import { openStateStore } from "../open-state-store.ts";
import type { StateStore } from "../roles.ts";

/** Two clusters with a migrated store on them. */
async function startStores(replication: "synchronous" | "asynchronous") {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-pair-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const pair = stack.use(await startPostgresPair({ dataFolder: folder, replication }));
  await createDatabase(pair.primary.url, { name: "store" });
  const url = pair.urlOf("store");
  await migrate(url);
  const owned = stack.move();
  return { pair, url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const open = (url: string) => openStateStore({ url, applicationName: "test", maxConnections: 4 });

interface Submissions {
  /** Ids of the tasks that were accepted. */
  readonly accepted: string[];
  /** Codes of the faults that others were answered with. */
  readonly refused: Set<string>;
  stop(): Promise<void>;
}

/** Submits one task after the other, as clients do who come back with the same key after a 503. */
function keepSubmitting(store: StateStore): Submissions {
  const accepted: string[] = [];
  const refused = new Set<string>();
  const stopping = new AbortController();
  const client = async (name: number): Promise<void> => {
    for (let count = 0; !stopping.signal.aborted; ) {
      const idempotency = { key: `${name}-${count}`, hash: "h" };
      try {
        const [one] = await store.submitTasks([newTask({ idempotency })], { actor: "test" });
        if (one === undefined || !("taskId" in one)) throw new Error("conflict");
        accepted.push(one.taskId);
        count += 1;
      } catch (error) {
        refused.add((error as { readonly code?: string }).code ?? String(error));
        await sleep(20);
      }
    }
  };
  const clients = [1, 2, 3, 4].map(client);
  return {
    accepted,
    refused,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}

const tasksAt = async (url: string): Promise<ReadonlySet<string>> =>
  new Set(
    (await queryOnce<{ id: string }>(url, "select task_id::text as id from state.tasks")).map(
      ({ id }) => id,
    ),
  );

const standbyUrl = ({ standby }: PostgresPair): string =>
  Object.assign(new URL(standby.url), { pathname: "/store" }).href;

const transient = ["store.unavailable", "store.outcome_unknown", "store.contention"];

test("a synchronous standby is promoted under load: no accepted task is lost, and writes go on within 2 s", async () => {
  await using stores = await startStores("synchronous");
  const { pair, url } = stores;
  await using store = await open(`${url}?target_session_attrs=read-write`);
  await store.registerWorkflow(testWorkflow([{ name: "a" }]));
  const submitting = keepSubmitting(store);
  await until(() => submitting.accepted.length > 100);
  await pair.primary.kill();
  // Clients try both servers meanwhile, and one of them is read-only.
  await until(() => submitting.refused.size > 0);
  await pair.promote();
  const promotedAt = performance.now();
  const before = submitting.accepted.length;
  await until(() => submitting.accepted.length > before);
  const resumedAfter = performance.now() - promotedAt;
  await until(() => submitting.accepted.length > before + 100);
  await submitting.stop();
  const kept = await tasksAt(standbyUrl(pair));
  expect(submitting.accepted.filter((id) => !kept.has(id))).toEqual([]);
  expect(transient).toEqual(expect.arrayContaining([...submitting.refused]));
  expect(resumedAfter).toBeLessThan(2_000);
  expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
});

test("an asynchronous standby that lacks accepted tasks is promoted: verify names those for which work was done", async () => {
  await using stores = await startStores("asynchronous");
  const { pair, url } = stores;
  await using store = await open(url);
  await store.registerWorkflow(testWorkflow([{ name: "a" }]));
  const submitting = keepSubmitting(store);
  await until(() => submitting.accepted.length > 20);
  await pair.cutReplication();
  const before = submitting.accepted.length;
  await until(() => submitting.accepted.length > before + 20);
  await submitting.stop();
  const dispatched = new Map<string, ClaimedStep>();
  for (let claims = await claimAll(store); claims.length > 0; claims = await claimAll(store)) {
    for (const claim of claims) dispatched.set(claim.taskId, claim);
  }
  await pair.primary.kill();
  await pair.promote();
  const kept = await tasksAt(standbyUrl(pair));
  const lost = submitting.accepted.filter((id) => !kept.has(id));
  expect(lost.length).toBeGreaterThanOrEqual(20);

  // The Agents have done all that was dispatched, and say so.
  const replies = [...dispatched.values()];
  const reportedEvents = replies.map((one) => ({
    taskId: one.taskId,
    event: completed(one),
    output: {},
  }));
  const { outcomes } = await store.applyEvents(reportedEvents, { actor: "test" });
  await store.recordRejectedReplies(
    replies.flatMap(({ taskId, name: step, attempt }, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined || outcome.applied) return [];
      const { reason } = outcome;
      return [{ taskId, step, attempt, reason, sender: "agent", body: Buffer.from("{}") }];
    }),
  );
  await using inspector = openInspector({ url, applicationName: "test" });
  const range = {
    after: "00000000-0000-0000-0000-000000000000",
    upto: "ffffffff-ffff-ffff-ffff-ffffffffffff",
  };
  const found = await inspector.findViolations({ ...range, batch: 10_000 });
  expect(new Set(found.map(({ invariant }) => invariant))).toEqual(
    new Set(["every reply belongs to a task"]),
  );
  expect(found.map(({ taskId }) => taskId)).toEqual(
    lost.filter((id) => dispatched.has(id)).toSorted(),
  );
});

test("a host name resolves to the standby for some seconds: writes are refused, and go on when it resolves to the primary", async () => {
  await using stores = await startStores("asynchronous");
  const { pair } = stores;
  const primaryUrl = Object.assign(new URL(pair.primary.url), { pathname: "/store" }).href;
  await using name = await openLink(primaryUrl);
  await using store = await open(name.url);
  await store.registerWorkflow(testWorkflow([{ name: "a" }]));
  const submitting = keepSubmitting(store);
  await until(() => submitting.accepted.length > 20);
  name.leadTo(pair.standby.url);
  name.reset();
  await until(() => submitting.refused.has("store.unavailable"));
  await expect(store.ping()).rejects.toMatchObject({ code: "store.unavailable", transient: true });
  name.leadTo(primaryUrl);
  name.reset();
  await store.ping();
  const before = submitting.accepted.length;
  await until(() => submitting.accepted.length > before + 20);
  await submitting.stop();
  expect(transient).toEqual(expect.arrayContaining([...submitting.refused]));
});

test("a commit that the synchronous standby never confirmed is not reported as done, nor when it is repeated", async () => {
  await using stores = await startStores("synchronous");
  const { pair, url } = stores;
  await using store = await open(url);
  await store.registerWorkflow(testWorkflow([{ name: "a" }]));
  await pair.cutReplication();
  const submit = () =>
    store.submitTasks([newTask({ idempotency: { key: "key", hash: "h" } })], { actor: "test" });
  // What a statement_timeout does, and sooner.
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
  for (const _ of ["first", "again"]) {
    const submitting = submit();
    const answered = expect(submitting).rejects.toMatchObject({ code: "store.outcome_unknown" });
    while ((await queryOnce(pair.primary.url, cancel)).length === 0) await sleep(10);
    await answered;
  }
});
