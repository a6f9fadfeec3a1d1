import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { runCommand } from "../../../test/run-command.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-schedules-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const nightly = {
  workflow: "settle",
  cron: "30 2 * * *",
  zone: "Europe/Budapest",
  input: { day: { $ref: "/schedule/date" } },
};
const whole = { ...nightly, overlap: "skip", catchUp: "last", jitter: 0, pauseAfterFailures: null };

const before = globalThis.fetch;
let asked: string[] = [];
/** A service that has the schedule `stored`, and no other. */
beforeEach(() => {
  asked = [];
  globalThis.fetch = async (url, init) => {
    const { pathname } = new URL(url);
    asked.push(`${init?.method} ${pathname}`);
    const isThere = init?.method !== "GET" || pathname.endsWith("/stored");
    const body = isThere
      ? { id: "stored", definition: whole, next: "2026-11-30T01:30:00.000Z", paused: null }
      : { status: 404, code: "schedule.unknown", detail: "There is none." };
    return new Response(JSON.stringify(body), { status: isThere ? 200 : 404 });
  };
});
afterEach(() => {
  globalThis.fetch = before;
});

const put = async (
  schedules: Readonly<Record<string, object>>,
  ...more: readonly string[]
): ReturnType<typeof runCommand> => {
  const files = Object.entries(schedules).map(([id, definition]) => {
    const file = join(folder, `${id}.json`);
    writeFileSync(file, JSON.stringify({ id, definition }));
    return file;
  });
  const env = { HOLDFAST_URL: "http://holdfast.test", HOLDFAST_TOKEN: "token" };
  return runCommand(["schedules", "put", ...files, "--json", ...more], env);
};

test("a dry run says of each schedule whether it is new, changed or the same, and stores none", async () => {
  const same = await put({ stored: nightly, other: nightly }, "--dry-run");
  expect(JSON.parse(same.stdout)).toMatchObject([
    { id: "stored", stored: "same", next: "2026-11-30T01:30:00.000Z" },
    { id: "other", stored: "new", next: null },
  ]);
  const changed = await put({ stored: { ...nightly, cron: "0 3 * * *" } }, "--dry-run");
  expect(JSON.parse(changed.stdout)).toMatchObject([{ id: "stored", stored: "changed" }]);
  expect(asked.filter((one) => one.startsWith("PUT"))).toEqual([]);
});

test("schedules are stored one after the other, with their next instants", async () => {
  const { exitCode, stdout } = await put({ stored: nightly });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ stored: "same", next: "2026-11-30T01:30:00.000Z" }]);
  expect(asked).toEqual(["GET /v1/schedules/stored", "PUT /v1/schedules/stored"]);
});

test("a mistake in one schedule has a line, and none of them is stored", async () => {
  const wrong = { good: nightly, bad: { ...nightly, zone: "Mars/Base", cron: "30 2 * *" } };
  const { exitCode, stderr } = await put(wrong);
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/bad: zone must be the IANA name of a time zone.*Mars\/Base is none/);
  expect(asked).toEqual([]);
});

test("a file without a schedule is wrong use", async () => {
  const file = join(folder, "none.json");
  writeFileSync(file, "{}");
  const { exitCode, stderr } = await runCommand(["schedules", "put", file], {});
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/none\.json holds no schedule: export what defineSchedule returns/);
});
