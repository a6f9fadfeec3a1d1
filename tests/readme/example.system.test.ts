import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { queryOnce } from "@holdfast/local-stack";
import { startService } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { codeBlocksOf, packagePages } from "./code-blocks.ts";
import { type Example, extractExample } from "./extract-example.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A hotel that takes every booking, and remembers what it was asked. */
async function openHotel() {
  const asked: { readonly key: string | undefined; readonly body: unknown }[] = [];
  const take = async (request: IncomingMessage) => {
    const key = request.headers["idempotency-key"];
    asked.push({ key: key?.toString(), body: await json(request) });
    return JSON.stringify({ bookingId: "booking-1", price: 200 });
  };
  const server = createServer((request, response) => {
    void take(request).then((answer) => response.end(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.dispose]: () => void server.close(),
  };
}

/** What the compiler says of an example; empty: nothing. */
async function compile({ folder }: { readonly folder: string }): Promise<string> {
  const tsc = join(root, "node_modules/.bin/tsc");
  const compiled = await promisify(execFile)(tsc, ["--project", folder]).catch(
    (error: { readonly stdout: string }) => error,
  );
  return compiled.stdout;
}

/** Runs a module that defines workflows. Throws what their definition throws. */
async function define({ files }: Example, name: string): Promise<void> {
  const args = ["--conditions=@holdfast/source", files.get(name) ?? name];
  await promisify(execFile)(process.execPath, args, { cwd: root });
}

interface Runnable {
  readonly example: Example;
  /** Names of files, as the pages have them. */
  readonly agent: string;
  readonly submit: string;
  /** SQL that lists tasks when it is time to look at the result. */
  readonly until: string;
}

/**
 * Starts a Scheduler and the example's Agent, submits, and waits. Resolves to the tasks and the
 * steps.
 */
async function runExample({ example, agent, submit, until }: Runnable) {
  const file = (name: string) => example.files.get(name) ?? name;
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  const env = { STATE_STORE_URL: database.url, BROKER_URL: broker.url };
  await using _scheduler = await startService({ service: "scheduler", env });
  await using _agent = await startService({
    service: file(agent),
    env: { BROKER_URL: broker.url },
  });
  await promisify(execFile)(process.execPath, ["--conditions=@holdfast/source", file(submit)], {
    cwd: root,
    env: { PATH: process.env["PATH"], STATE_STORE_URL: database.url },
  });
  let tasks: readonly { readonly id: string }[] = [];
  while (tasks.length === 0) {
    await sleep(50);
    tasks = await queryOnce<{ id: string }>(database.url, until);
  }
  const steps = "select name, process_state from state.steps where kind = 'call' order by name";
  return { id: tasks[0]?.id, steps: await queryOnce(database.url, steps) };
}

test("the example in the guides compiles, and books a trip", async () => {
  using hotel = await openHotel();
  await using example = await extractExample({
    pages: ["workflows", "agents", "testing", "schedules"].map((page) => `docs/guides/${page}.md`),
    name: "trips",
    hotelUrl: hotel.url,
  });
  expect([...example.files.keys()]).toHaveLength(17);
  expect(await compile(example)).toBe("");
  const waiting = ["pay-after-stay", "pay-by-transfer", "pay-when-approved"];
  for (const one of [
    "insure-trip",
    ...waiting,
    "stay-in-touch",
    "pool",
    "settle-night",
    "settle-times",
  ])
    await define(example, `trips/src/${one}.ts`);
  const { id, steps } = await runExample({
    example,
    agent: "trips/src/hotels-agent.ts",
    submit: "trips/src/submit-trip.ts",
    until: "select task_id::text as id from state.tasks where process_state = 'processed'",
  });
  expect(hotel.asked).toEqual([
    { key: `${id}:hotel:do`, body: { guest: "Ada", city: "Lyon", nights: 2 } },
  ]);
  expect(steps).toEqual([
    { name: "charge", process_state: "skipped" },
    { name: "hotel", process_state: "processed" },
  ]);
});

/**
 * The README does not show how a task is submitted: this is its guide's program for another
 * workflow.
 */
function submitStay(): string {
  const [program = ""] = codeBlocksOf("docs/guides/workflows.md")
    .map(({ text }) => text)
    .filter((text) => text.includes("submit-trip.ts"));
  return program
    .replace("bookTrip, Trip", "bookStay")
    .replaceAll("bookTrip", "bookStay")
    .replace("book-trip.ts", "book-stay.ts")
    .replace("Trip.parse(trip)", '{ guest: "Ada", city: "Lyon" }')
    .replace(/^const trip = .*$/m, "");
}

test("the example in the README compiles, and its Agent books a hotel", async () => {
  using hotel = await openHotel();
  await using example = await extractExample({
    pages: ["README.md"],
    name: "stays",
    hotelUrl: hotel.url,
    more: { "stays/src/submit-stay.ts": submitStay() },
  });
  expect([...example.files.keys()]).toHaveLength(3);
  expect(await compile(example)).toBe("");
  const { id } = await runExample({
    example,
    agent: "stays/src/hotels-agent.ts",
    submit: "stays/src/submit-stay.ts",
    until:
      "select task_id::text as id from state.steps where name = 'hotel' and process_state = 'processed'",
  });
  expect(hotel.asked).toEqual([{ key: `${id}:hotel:do`, body: { guest: "Ada", city: "Lyon" } }]);
});

test("the example in the pages of the packages compiles, and its workflow survives a killed Agent", async () => {
  await using example = await extractExample({ pages: packagePages, name: "shop", hotelUrl: "" });
  expect([...example.files.keys()]).toHaveLength(4);
  expect(await compile(example)).toBe("");
  const file = join(root, example.files.get("shop/src/welcome-test.ts") ?? "");
  const program = `const tests = await import(${JSON.stringify(file)}); await tests.aKilledAgentIsReplaced();`;
  const node = ["--conditions=@holdfast/source", "--input-type=module", "--eval", program];
  await promisify(execFile)(process.execPath, node);
});
