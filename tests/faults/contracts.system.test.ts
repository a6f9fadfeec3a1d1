import { newTask } from "@holdfast/load";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { firstWorkflow, secondWorkflow } from "./rolled-agents.ts";

type Release = "first" | "second" | "third";

interface Rolling extends AsyncDisposable {
  readonly faulty: FaultySystem;
  /** Starts an instance of a release, and waits until it has announced its contract. */
  readonly start: (release: Release) => ReturnType<FaultySystem["system"]["start"]>;
  readonly submit: (workflow: "payroll.v1" | "payroll.v2") => Promise<void>;
  readonly count: (where: string) => Promise<number>;
  /** Waits until all tasks are processed. */
  readonly finish: () => Promise<void>;
}

const wave = 8;

/** The system without Agents; the instances of releases are processes of their own. */
async function startRolling(): Promise<Rolling> {
  await using stack = new AsyncDisposableStack();
  const { url: stateStoreUrl } = stack.use(await migratedDatabase());
  const { url } = stack.use(await testBroker());
  const servers = { stateStoreUrl, broker: { url, importDefinitions: null } };
  const count = { agent: 0, partners: 0 };
  const faulty = stack.use(await startFaultySystem({ apart: ["agent"], servers, count }));
  await faulty.store.registerWorkflow(firstWorkflow);
  const owned = stack.move();
  const countOf = async (where: string): Promise<number> => {
    const [row] = await faulty.query<{ count: number }>(
      `select count(*)::integer as count from ${where}`,
    );
    return row?.count ?? 0;
  };
  const announced = () => countOf("state.agents where contracts is not null");
  let submitted = 0;
  return {
    faulty,
    async start(release) {
      const before = await announced();
      const started = await faulty.system.start("agent", {
        AGENT_MODULES: "./tests/faults/rolled-agents.ts",
        AGENT_NAMES: "bank",
        RELEASE: release,
      });
      await until(async () => (await announced()) > before);
      return started;
    },
    async submit(workflow) {
      const tasks = Array.from({ length: wave }, (_, index) => {
        const iban = `${workflow} ${submitted + index}`;
        const input = workflow === "payroll.v1" ? { iban } : { iban, reference: iban };
        return newTask({ workflow, input });
      });
      submitted += wave;
      await faulty.store.submitTasks(tasks, { actor: "test" });
    },
    count: countOf,
    finish: () =>
      until(
        async () => (await countOf("state.tasks where process_state = 'processed'")) === submitted,
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const givenBack = "state.events where reason = 'step.request_unreadable'";
/** What would show that a good task was taken apart. */
const harmed =
  "state.tasks join state.steps using (task_id) where goal = 'undo' or failure_count > 0 or steps.process_state = 'error'";
/** What the second workflow relies on, and an older instance would not have returned. */
const lost = `state.tasks join state.step_payloads using (task_id)
  where workflow = 'payroll.v2' and output ->> 'kept' is distinct from output ->> 'id'`;

test.concurrent("an instance that newly requires a field gives requests to those that can read them, and undoes nothing", async () => {
  await using rolling = await startRolling();
  await rolling.start("third");
  await rolling.submit("payroll.v1");
  await until(async () => (await rolling.count(givenBack)) >= wave);
  await rolling.start("first");
  await rolling.submit("payroll.v1");
  await rolling.finish();
  expect(await rolling.count(harmed)).toBe(0);
}, 120_000);

test.concurrent("Agents and workflows are rolled forward and back, in both orders, and nothing is undone or lost", async () => {
  await using rolling = await startRolling();
  // The workflow first: what it asks for waits for the Agent, and the old instance does it not by
  // halves.
  const old = await rolling.start("first");
  await rolling.faulty.store.registerWorkflow(secondWorkflow);
  await Promise.all([rolling.submit("payroll.v1"), rolling.submit("payroll.v2")]);
  await until(async () => (await rolling.count(givenBack)) >= wave);
  const next = await rolling.start("second");
  await rolling.finish();
  // Mixed, then forward.
  await Promise.all([rolling.submit("payroll.v1"), rolling.submit("payroll.v2")]);
  await rolling.finish();
  old.signal("SIGTERM");
  await old.exited;
  await Promise.all([rolling.submit("payroll.v1"), rolling.submit("payroll.v2")]);
  await rolling.finish();
  // Back: the Agent first, then the workflow, which is what it was.
  const back = await rolling.start("first");
  next.signal("SIGTERM");
  await next.exited;
  await Promise.all([rolling.submit("payroll.v1"), rolling.submit("payroll.v2")]);
  await until(
    async () =>
      (await rolling.count(
        `${givenBack} and task_id in (select task_id from state.tasks where process_state <> 'processed')`,
      )) >= wave,
  );
  // Forward again, the Agent first.
  await rolling.start("second");
  back.signal("SIGTERM");
  await rolling.finish();
  expect([await rolling.count(harmed), await rolling.count(lost)]).toEqual([0, 0]);
  expect(await rolling.faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
}, 180_000);
