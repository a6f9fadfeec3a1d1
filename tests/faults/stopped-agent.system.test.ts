import { setTimeout as sleep } from "node:timers/promises";
import { newTask, percentile } from "@holdfast/load";
import { freePort } from "@holdfast/local-stack";
import { parseExposition } from "@holdfast/observability";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { agentNames, workflows } from "./three-agents.ts";

const stopped = "north";
/** Milliseconds of real time. */
const stop = 10_000;
const pace = 50;

test("while one of three Agents is stopped, the others go on as fast as before, and no failure is counted", async () => {
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  const port = await freePort(21_000 + (process.pid % 1_000) * 20);
  await using faulty = await startFaultySystem({
    apart: ["agent"],
    servers: {
      stateStoreUrl: database.url,
      broker: { url: broker.url, importDefinitions: null },
    },
    count: { agent: 0, partners: 0 },
    env: { scheduler: { HEALTH_PORT: String(port), HEALTH_HOST: "127.0.0.1" } },
  });
  for (const workflow of workflows) await faulty.store.registerWorkflow(workflow);
  const agents = await Promise.all(
    agentNames.map((name) =>
      faulty.system.start("agent", {
        AGENT_MODULES: "./tests/faults/three-agents.ts",
        AGENT_NAMES: name,
      }),
    ),
  );
  const victim = agents[agentNames.indexOf(stopped)];
  // What each process does for the first time takes longer.
  await submitFor(faulty, stop / 5);
  const before = await submitFor(faulty, stop);

  victim?.signal("SIGSTOP");
  const meanwhile = await submitFor(faulty, stop);
  const loopDelay = await eventLoopDelay(port);
  const open = `select 1 from state.tasks where workflow = '${stopped}.v1' and finished_at is null`;
  expect(await faulty.query(open)).not.toEqual([]);
  victim?.signal("SIGCONT");
  await until(async () => (await faulty.query(open)).length === 0);

  const [usual, p99] = [percentile(before, 0.99), percentile(meanwhile, 0.99)];
  process.stdout.write(
    `one Agent stopped: p99 of the others ${Math.round(p99)} ms, before ${Math.round(usual)} ms; event loop ${Math.round(loopDelay)} ms\n`,
  );
  // On a machine that stands still now and then, by a small part of what they would have had to
  // wait.
  expect(p99).toBeLessThan(Math.max(10 * usual, stop / 4));
  expect(loopDelay).toBeLessThan(stop / 10);
  expect(await faulty.query("select 1 from state.steps where failure_count > 0")).toEqual([]);
});

/**
 * Submits a task for each Agent, again and again for so many milliseconds. Resolves, when the tasks
 * of the Agents that are never stopped have ended, to how many milliseconds each of those took by
 * the store's clock.
 */
async function submitFor(faulty: FaultySystem, duration: number): Promise<readonly number[]> {
  const ids: string[] = [];
  for (const end = performance.now() + duration; performance.now() < end; ) {
    for (const { name: workflow } of workflows) {
      const [task] = await faulty.store.submitTasks(
        [newTask({ workflow, input: { order: "1" } })],
        {
          actor: "test",
        },
      );
      if (task?.kind === "created" && workflow !== `${stopped}.v1`) ids.push(task.taskId);
    }
    await sleep(pace);
  }
  const ended = `select (extract(epoch from finished_at - created_at) * 1000)::float8 as took
    from state.tasks where process_state = 'processed' and task_id = any('{${ids.join()}}')`;
  let rows: readonly { readonly took: number }[] = [];
  await until(async () => {
    rows = await faulty.query<{ took: number }>(ended);
    return rows.length === ids.length;
  });
  return rows.map(({ took }) => took);
}

/** The 99th percentile of the last 10 to 20 s, in milliseconds. */
async function eventLoopDelay(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  const metrics = parseExposition(await answer.text());
  const [sample = ""] = metrics.get("nodejs_eventloop_delay_p99_seconds")?.samples ?? [];
  return Number(sample.slice(sample.lastIndexOf(" "))) * 1_000;
}
