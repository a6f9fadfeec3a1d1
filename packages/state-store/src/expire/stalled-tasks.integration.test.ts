import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { newTask, openTestStore, type TestStore, testWorkflow } from "../../test/fixtures.ts";

let db: TestStore;
beforeAll(async () => {
  db = await openTestStore();
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

/** Tasks, more than two looks can see. */
const count = 1_100;

test("stalled tasks are found among any number of open tasks, a few checked each time", async () => {
  const [submission, supervisor] = await Promise.all([
    db.open("submission"),
    db.open("supervisor"),
  ]);
  await submission.registerWorkflow(testWorkflow([{ name: "a" }]));
  const submitted = await submission.submitTasks(
    Array.from({ length: count }, () => newTask()),
    { actor: "test" },
  );
  const ids = submitted.flatMap((one) => ("taskId" in one ? [one.taskId] : [])).toSorted();
  const stalled = [ids[0], ids[499], ids[500], ids[700], ids[count - 1]];
  const [finished, paused, recent, failed] = [ids[10], ids[20], ids[30], ids[40]];
  const forgotten = [...stalled, finished, paused, recent, failed].map((id) => `'${id}'`);
  await db.query(
    `set session_replication_role = replica;
     update state.steps set process_state = 'waiting', rank = null, not_before = null
      where task_id in (${forgotten.join()});
     update state.tasks set updated_at = now() - interval '2 minutes';
     update state.tasks set process_state = 'processed', finished_at = now() where task_id = '${finished}';
     update state.tasks set paused_at = now(), paused_by = 'test' where task_id = '${paused}';
     update state.tasks set updated_at = now() where task_id = '${recent}';
     update state.tasks set process_state = 'halted', fault_code = 'test' where task_id = '${failed}';
     reset session_replication_role`,
  );

  const found: (readonly string[])[] = [];
  for (let after: string | null = null; ; ) {
    const looked = await supervisor.findStalledTasks({ after, untouchedFor: 60_000 });
    found.push(looked.taskIds);
    if (looked.next === null) break;
    after = looked.next;
  }
  // One that is finished is not looked at.
  expect(found).toEqual([[ids[0], ids[499], ids[500]], [ids[700]], [ids[count - 1]]]);
});

test("a step whose delay ends in hours, because the clock was set back meanwhile, is found at once, and is due", async () => {
  const [submission, supervisor] = await Promise.all([
    db.open("submission"),
    db.open("supervisor"),
  ]);
  await submission.registerWorkflow(testWorkflow([{ name: "a" }]));
  const [one] = await submission.submitTasks([newTask()], { actor: "test" });
  const taskId = one !== undefined && "taskId" in one ? one.taskId : "";
  await db.query(
    `set session_replication_role = replica;
     update state.steps set attempt = 1, rank = null, not_before = now() + interval '3 hours'
      where task_id = '${taskId}';
     update state.tasks set updated_at = now() + interval '3 hours' where task_id = '${taskId}';
     reset session_replication_role`,
  );
  const before = `${taskId.slice(0, -12)}000000000000`;
  const { taskIds } = await supervisor.findStalledTasks({ after: before, untouchedFor: 60_000 });
  expect(taskIds).toContain(taskId);
  await supervisor.applyEvents([{ taskId, event: { kind: "replanned" } }], { actor: "test" });
  expect(
    await db.query(
      `select 1 from state.steps where task_id = '${taskId}' and process_state = 'pending'
          and coalesce(not_before, rank) <= now()`,
    ),
  ).toHaveLength(1);
});
