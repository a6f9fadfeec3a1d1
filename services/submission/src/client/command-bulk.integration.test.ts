import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Commanded, json, openCommanded } from "../../test/command.ts";

let commanded: Commanded;
const holdfast: Commanded["holdfast"] = (...args) => commanded.holdfast(...args);

beforeAll(async () => {
  commanded = await openCommanded();
  await commanded.trips.clear();
});
afterAll(async () => {
  await commanded[Symbol.asyncDispose]();
});

interface Shown {
  readonly id: string;
  readonly state: string;
}

test("the command forecasts, creates, lists, shows and stops a bulk operation", async () => {
  const ids = [await commanded.submitted("--label", "region=eu"), await commanded.submitted()];
  const eu = ["--label", "region=eu", "--reason", "a test"];
  const forecast = await holdfast(["bulk", "create", "pause", ...eu, "--dry-run", "--json"]);
  expect(json(forecast)).toEqual({ matches: 1, allowed: 1, refused: [], sample: [ids[0]] });
  const said = await holdfast(["bulk", "create", "resubmit", ...eu, "--dry-run"]);
  expect(said.out).toMatch(/task\.nothing_failed +1\nWould resubmit 0 of 1 tasks\.\n$/);

  const line = ["bulk", "create", "pause", ...eu, "--canary", "1", "--rate", "0.5", "--json"];
  const created = json<Shown>(await holdfast([...line, "--idempotency-key", "k-1"]));
  expect(created).toMatchObject({ state: "canary", canary: 1, rate: 0.5, matched: 1 });
  const again = await holdfast([...line, "--idempotency-key", "k-1"]);
  expect(json(again)).toMatchObject({ id: created.id });

  const items = ["bulk", "items", created.id, "--all", "--json"];
  expect(json(await holdfast(items))).toMatchObject([{ taskId: ids[0], outcome: "waiting" }]);
  const refused = await holdfast([...items, "--outcome", "refused"]);
  expect(json(refused)).toEqual([]);
  const stop = ["bulk", "stop", created.id, "--reason", "not that one"];
  expect((await holdfast(stop)).code).toBe(0);
  const twice = await holdfast(stop);
  expect([twice.code, twice.err]).toEqual([
    expect.any(Number),
    expect.stringContaining("stopped already"),
  ]);
  expect(twice.code).not.toBe(0);
  const shown = await holdfast(["bulk", "get", created.id]);
  expect(shown.out).toMatch(/Stopped by .*: not that one/);
  const listed = json<Shown[]>(await holdfast(["bulk", "list", "--json"]));
  expect(listed.map(({ id, state }) => ({ id, state }))).toEqual([
    { id: created.id, state: "stopped" },
  ]);
});

test.each<[string, readonly string[], RegExp]>([
  ["without a filter", ["bulk", "create", "pause", "-r", "x"], /Say in filter which tasks/],
  ["without a reason", ["bulk", "create", "pause", "--state", "open"], /Say --reason/],
  ["with an unknown action", ["bulk", "create", "drop", "-r", "x"], /There is no action drop/],
  ["with a rate that is none", ["bulk", "create", "cancel", "-r", "x", "--rate", "-1"], /--rate/],
])("a bulk operation %s is refused by the command in one sentence", async (_, line, why) => {
  const { code, err } = await holdfast(line);
  expect(code).not.toBe(0);
  expect(err).toMatch(why);
});
