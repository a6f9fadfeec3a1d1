import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { queryOnce, testBroker, testDatabase } from "@holdfast/local-stack";
import { startService } from "@holdfast/local-system";
import { migrate } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { extractExample } from "./extract-example.ts";

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

test("the example in the README compiles, and books a trip", async () => {
  using hotel = await openHotel();
  await using example = await extractExample({ hotelUrl: hotel.url });
  const file = (name: string) => example.files.get(`trips/src/${name}.ts`) ?? name;
  expect([...example.files.keys()]).toHaveLength(4);
  const tsc = join(root, "node_modules/.bin/tsc");
  const compiled = await promisify(execFile)(tsc, ["--project", example.folder]).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(compiled.stdout).toBe("");

  await using database = await testDatabase();
  await using broker = await testBroker();
  await migrate(database.url);
  const env = { STATE_STORE_URL: database.url, BROKER_URL: broker.url };
  await using _scheduler = await startService({ service: "scheduler", env });
  await using _agent = await startService({
    service: file("hotels-agent"),
    env: { BROKER_URL: broker.url },
  });
  await promisify(execFile)(
    process.execPath,
    ["--conditions=@holdfast/source", file("submit-trip")],
    { cwd: root, env: { PATH: process.env["PATH"], STATE_STORE_URL: database.url } },
  );
  const ended = "select task_id::text as id from state.tasks where process_state = 'processed'";
  let trips: readonly { readonly id: string }[] = [];
  while (trips.length === 0) {
    await sleep(50);
    trips = await queryOnce<{ id: string }>(database.url, ended);
  }
  expect(hotel.asked).toEqual([
    { key: `${trips[0]?.id}:hotel:do`, body: { guest: "Ada", city: "Lyon", nights: 2 } },
  ]);
  const steps = "select name, process_state from state.steps where kind = 'call' order by name";
  expect(await queryOnce(database.url, steps)).toEqual([
    { name: "charge", process_state: "skipped" },
    { name: "hotel", process_state: "processed" },
  ]);
}, 120_000);
