import { newTask } from "@holdfast/load";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { type FaultySystem, startFaultySystem, temporaryFolder, until } from "./faulty-system.ts";
import { pooledWorkflow, readLedger } from "./pooled-agents.ts";

interface Pool extends AsyncDisposable {
  readonly faulty: FaultySystem;
  readonly start: (
    agent: string,
    failpoint?: string,
  ) => ReturnType<FaultySystem["system"]["start"]>;
  readonly submit: (count: number) => Promise<void>;
  /** How many tasks are in which state. */
  readonly count: (state: string) => Promise<number>;
  readonly ledger: () => ReturnType<typeof readLedger>;
}

/** The system with a workflow of a pool; its Agents are processes of their own. */
async function startPool({ sharesKeys }: { readonly sharesKeys: boolean }): Promise<Pool> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryFolder());
  const { url: stateStoreUrl } = stack.use(await migratedDatabase());
  const { url } = stack.use(await testBroker());
  const servers = { stateStoreUrl, broker: { url, importDefinitions: null } };
  const count = { agent: 0, partners: 0 };
  const faulty = stack.use(await startFaultySystem({ apart: ["agent"], servers, count }));
  await faulty.store.registerWorkflow(pooledWorkflow(sharesKeys));
  const owned = stack.move();
  return {
    faulty,
    start: (agent, failpoint = "") =>
      faulty.system.start("agent", {
        AGENT_MODULES: "./tests/faults/pooled-agents.ts",
        AGENT_NAMES: agent,
        LEDGER: path,
        HOLDFAST_FAILPOINTS: failpoint,
        ...(sharesKeys ? { SHARED: "yes" } : {}),
      }),
    async submit(tasks) {
      const orders = Array.from({ length: tasks }, (_, order) =>
        newTask({ workflow: "pooled.v1", input: { order: `${order}` } }),
      );
      await faulty.store.submitTasks(orders, { actor: "test" });
    },
    async count(state) {
      const [row] = await faulty.query<{ count: number }>(
        `select count(*)::integer as count from state.tasks where process_state = '${state}'`,
      );
      return row?.count ?? 0;
    },
    ledger: () => readLedger(path),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const wave = 20;
const longest = 120_000;

/**
 * Starts both Agents, has each of them take steps, and kills the first while it is at work. It
 * freezes at its third step, after the effect and before the reply: it has done something of which
 * nothing is known.
 */
async function killNorthAtWork(pool: Pool): Promise<number> {
  const [north] = await Promise.all([
    pool.start("north", "agent.worked=freeze@3"),
    pool.start("south"),
  ]);
  let submitted = 0;
  await until(async () => {
    await pool.submit(wave);
    submitted += wave;
    const done = Map.groupBy(await pool.ledger(), ({ agent }) => agent);
    return (done.get("north")?.length ?? 0) >= 3 && done.has("south");
  });
  north.signal("SIGKILL");
  await pool.submit(wave);
  await north.exited;
  return submitted + wave;
}

test(
  "the steps of a killed Agent are done by another of its pool that shares its keys",
  async () => {
    await using pool = await startPool({ sharesKeys: true });
    const all = await killNorthAtWork(pool);
    await until(async () => (await pool.count("processed")) === all);
    expect(await pool.ledger()).toHaveLength(all);
    expect(await pool.faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
  longest,
);

test(
  "of Agents that share no keys each keeps the steps that it may have done, and others get the rest",
  async () => {
    await using pool = await startPool({ sharesKeys: false });
    const all = await killNorthAtWork(pool);
    // What north may have done waits for it, and nothing else does.
    const movable = `select name from state.steps
                      where process_state <> 'processed' and lane <> 'north'`;
    await until(async () => (await pool.faulty.query(movable)).length === 0);
    expect(await pool.count("processed")).toBeLessThan(all);

    await pool.start("north");
    await until(async () => (await pool.count("processed")) === all);
    const ledger = await pool.ledger();
    // One entry for each key: none is in both accounts.
    expect(ledger).toHaveLength(all);
    expect(new Set(ledger.map(({ key }) => key)).size).toBe(all);
    expect(await pool.faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
  longest,
);
