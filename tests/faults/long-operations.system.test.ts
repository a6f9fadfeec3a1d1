import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newTask } from "@holdfast/load";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { type FaultySystem, startFaultySystem, temporaryFolder, until } from "./faulty-system.ts";
import { hanging, rendering } from "./long-agents.ts";

interface Studio extends AsyncDisposable {
  readonly faulty: FaultySystem;
  readonly start: () => ReturnType<FaultySystem["system"]["start"]>;
  readonly submit: (workflow: string) => Promise<void>;
  /** The one task with its step. */
  readonly look: () => Promise<Look>;
  /** "<step> <attempt>" and the process of each attempt that was begun. */
  readonly attempts: () => Promise<readonly (readonly [attempt: string, pid: number])[]>;
}

interface Look {
  readonly state: string;
  readonly attempt: number;
  readonly faultCode: string | null;
  readonly startedAt: string | null;
  readonly progress: { readonly percent: number; readonly note: string } | null;
  readonly seconds: number;
}

/** The system with Agents whose operations take long; they are processes of their own. */
async function startStudio(): Promise<Studio> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryFolder());
  const { url: stateStoreUrl } = stack.use(await migratedDatabase());
  const { url } = stack.use(await testBroker());
  const servers = { stateStoreUrl, broker: { url, importDefinitions: null } };
  const faulty = stack.use(
    await startFaultySystem({ apart: ["agent"], servers, count: { agent: 0, partners: 0 } }),
  );
  for (const workflow of [hanging, rendering]) await faulty.store.registerWorkflow(workflow);
  const ledger = join(path, "ledger");
  await writeFile(ledger, "");
  const owned = stack.move();
  const agent = {
    AGENT_MODULES: "./tests/faults/long-agents.ts",
    AGENT_NAMES: "studio",
    LEDGER: ledger,
  };
  return {
    faulty,
    start: () => faulty.system.start("agent", agent),
    async submit(workflow) {
      await faulty.store.submitTasks([newTask({ workflow, input: { order: "1" } })], {
        actor: "test",
      });
    },
    async look() {
      const [row] = await faulty.query<Look>(
        `select tasks.process_state as state, attempt, steps.fault_code as "faultCode",
                started_at as "startedAt", progress,
                extract(epoch from now() - created_at)::float8 as seconds
           from state.steps join state.tasks using (task_id) where name not like '%:undo'`,
      );
      return row as Look;
    },
    async attempts() {
      const lines = (await readFile(ledger, "utf8")).trim().split("\n").filter(Boolean);
      return lines.map((line) => {
        const [step, attempt, pid] = line.split(" ");
        return [`${step} ${attempt}`, Number(pid)] as const;
      });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const longest = 120_000;

test(
  "an Agent that took a request and hangs is noticed after completeWithin, however long it had to begin",
  async () => {
    await using studio = await startStudio();
    await studio.start();
    await studio.submit("hanging.v1");
    await until(async () => (await studio.look()).state === "processed");
    const { seconds, attempt } = await studio.look();
    expect(attempt).toBe(2);
    // It had two minutes to begin, and three seconds to end.
    expect(seconds).toBeLessThan(40);
  },
  longest,
);

test(
  "an operation that takes longer than completeWithin ends in its first attempt if it says that it is at work",
  async () => {
    await using studio = await startStudio();
    await studio.start();
    await studio.submit("rendering.v1");
    await until(async () => (await studio.look()).progress !== null);
    const { startedAt, progress } = await studio.look();
    expect(startedAt).not.toBeNull();
    expect(progress?.note).toMatch(/^frame \d+$/);
    await until(async () => (await studio.look()).state === "processed");
    expect(await studio.look()).toMatchObject({ attempt: 1, startedAt: null, progress: null });
    expect((await studio.attempts()).map(([attempt]) => attempt)).toEqual(["render 1"]);
    expect(await studio.faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
  longest,
);

test(
  "a long operation whose Agent dies is not delivered again: its silence is noticed, and a new attempt is made",
  async () => {
    await using studio = await startStudio();
    // The one that lives on runs before the other is killed: the broker could deliver the request
    // to it at once.
    const both = [await studio.start(), await studio.start()];
    await studio.submit("rendering.v1");
    await until(async () => (await studio.look()).progress !== null);
    const [[, busyPid]] = (await studio.attempts()) as [readonly [string, number]];
    const busy = both.find(({ pid }) => pid === busyPid);
    busy?.signal("SIGKILL");
    await busy?.exited;
    await until(async () => (await studio.look()).state === "processed");
    const attempts = await studio.attempts();
    expect(attempts.map(([attempt]) => attempt)).toEqual(["render 1", "render 2"]);
    expect(new Set(attempts.map(([, pid]) => pid)).size).toBe(2);
    const [effect] = await studio.faulty.query<{ mayHaveEffect: boolean }>(
      `select may_have_effect as "mayHaveEffect" from state.steps where name = 'render'`,
    );
    expect(effect?.mayHaveEffect).toBe(true);
    const history = await studio.faulty.query<{ action: string; reason: string | null }>(
      `select action, reason from state.events where step = 'render' order by id`,
    );
    expect(history).toContainEqual({ action: "retry", reason: "step.expired" });
    expect(await studio.faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
  longest,
);
