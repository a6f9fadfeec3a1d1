import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { SampleKind } from "@holdfast/orders";
import { asRole } from "@holdfast/processes";
import { holdfastCommand } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem } from "./faulty-system.ts";

interface Look {
  readonly tasks: number;
  readonly violations: readonly object[];
}

test("verify raises no false alarm while orders move, are undone, and processes are killed", async () => {
  await using faulty = await startFaultySystem({
    apart: ["scheduler", "agent"],
    count: { scheduler: 2, agent: 2, supervisor: 2 },
    // Slow enough to be looked at while they move.
    env: { partners: { LATENCY: "500ms" } },
  });
  const { system } = faulty;
  const { STATE_STORE_URL = "" } = system.environmentOf("supervisor");
  const kinds: readonly SampleKind[] = Array.from({ length: 600 }, (_, index) =>
    index % 3 === 0 ? "declined" : "good",
  );
  const looks: (Look & { readonly moving: number })[] = [];
  const look = async () => {
    const [open] = await faulty.query<{ moving: number }>(
      "select count(*)::integer as moving from state.tasks where finished_at is null",
    );
    looks.push({
      ...(await verify({ STATE_STORE_URL: asRole(STATE_STORE_URL, "holdfast_observer") })),
      moving: open?.moving ?? 0,
    });
  };

  const ids = [...(await faulty.submit(kinds))];
  await look();
  system.running("scheduler")[0]?.signal("SIGKILL");
  system.running("agent")[0]?.signal("SIGKILL");
  await Promise.all([system.start("scheduler"), system.start("agent"), look()]);
  // However fast or slow this machine is: more orders, until there were looks enough while some
  // moved.
  const looksWhileMoving = () => looks.filter(({ moving }) => moving > 0).length;
  while (looksWhileMoving() <= 2) {
    ids.push(...(await faulty.submit(kinds.slice(0, 60))));
    await look();
  }
  const judged = faulty.verdict(ids);
  const ended = judged.then(() => true);
  const looked = () => look().then(() => false);
  while (!(await Promise.race([ended, looked()])));

  expect(looks.flatMap(({ violations }) => violations)).toEqual([]);
  expect(await judged).toEqual(
    allRight({ processed: (ids.length * 2) / 3, undone: ids.length / 3 }),
  );
});

/** Throws with what it printed when there is a violation: it then ends with 1. */
async function verify(env: Readonly<Record<string, string>>): Promise<Look> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...holdfastCommand, "verify", "--direct", "--json"],
    { env },
  );
  return JSON.parse(stdout) as Look;
}
