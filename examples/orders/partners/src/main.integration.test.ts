import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "@jest/globals";
import { charge, type Said, send, temporaryFolder } from "../test/fixtures.ts";
import type { Balance } from "./balance.ts";

const main = join(import.meta.dirname, "main.ts");

/** The service as it is really run: a process of its own. */
async function start(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ["--conditions=@holdfast/source", main], {
    env: { PATH: process.env["PATH"], HTTP_HOST: "127.0.0.1", HTTP_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url } = JSON.parse(line) as { msg: string; url: string };
    if (msg === "ready") return { child, url, [Symbol.dispose]: () => void child.kill("SIGKILL") };
  }
  throw new Error("the partners ended before they listened");
}

async function end(child: ChildProcess, signal: NodeJS.Signals) {
  const exited = once(child, "exit");
  child.kill(signal);
  return (await exited)[0] as number | null;
}

const keys = Array.from({ length: 400 }, (_, index) => `task-${index}:charge:do`);

test("an answer given before a kill -9 is still known and unchanged afterwards, and its effect happened once", async () => {
  await using folder = await temporaryFolder();
  using first = await start({ DATA_FOLDER: folder.path });
  const answered = new Map<string, Said>();
  const { promise: halfway, resolve } = Promise.withResolvers<void>();
  const left = keys.values();
  const askAll = async () => {
    for (const key of left) {
      answered.set(key, await send(`${first.url}/payments/charges`, { key, body: charge }));
      if (answered.size > keys.length / 2) resolve();
    }
  };
  const all = Promise.allSettled(Array.from({ length: 8 }, askAll));
  await halfway;
  await end(first.child, "SIGKILL");
  await all;
  expect(answered.size).toBeLessThan(keys.length);

  using second = await start({ DATA_FOLDER: folder.path });
  for (const key of keys) {
    const again = await send(`${second.url}/payments/charges`, { key, body: charge });
    expect(again).toEqual(answered.get(key) ?? again);
  }
  const { body } = await send(`${second.url}/ledger/balance`, { method: "GET" });
  const { appliedTwice, totals } = body as unknown as Balance;
  expect({ appliedTwice, totals }).toEqual({
    appliedTwice: [],
    totals: { payments: { EUR: keys.length * charge.amount } },
  });
  expect(await end(second.child, "SIGTERM")).toBe(0);
});

test("environment variables set the initial faults of all partners", async () => {
  await using folder = await temporaryFolder();
  using partners = await start({
    DATA_FOLDER: folder.path,
    ERROR_RATE: "0.25",
    APPLY_THEN_DROP_RATE: "0.5",
    LATENCY: "20ms",
  });
  const { body } = await send(`${partners.url}/fault-settings`, { method: "GET" });
  const faultSettings = { errorRate: 0.25, applyThenDropRate: 0.5, latencyMs: 20, holdMs: 0 };
  expect(body).toMatchObject({
    inventory: faultSettings,
    payments: faultSettings,
    shipping: faultSettings,
  });
  expect(await end(partners.child, "SIGTERM")).toBe(0);
});
