import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Commanded, json, openCommanded } from "../../test/command.ts";
import { finishTask } from "../../test/finish-task.ts";
import { input } from "../../test/trips.ts";

let commanded: Commanded;
const holdfast: Commanded["holdfast"] = (...args) => commanded.holdfast(...args);
const submitted: Commanded["submitted"] = (...args) => commanded.submitted(...args);

beforeAll(async () => {
  commanded = await openCommanded();
});
afterAll(async () => {
  await commanded[Symbol.asyncDispose]();
});
beforeEach(() => commanded.trips.clear());

describe("tasks", () => {
  test("are submitted, shown, listed and counted, each as one JSON document", async () => {
    const id = await submitted("--key", "t-1", "--label", "region=eu", "--priority", "urgent");
    const shown = await holdfast(["tasks", "get", id, "--json"]);
    expect(json(shown)).toMatchObject({
      id,
      key: "t-1",
      labels: { region: "eu" },
      priority: "urgent",
    });
    await submitted("--not-before", "+1h");
    const listed = await holdfast(["tasks", "list", "--label", "region=eu", "--json"]);
    expect(json<{ id: string }[]>(listed).map((one) => one.id)).toEqual([id]);
    const lines = await holdfast(["tasks", "list", "-o", "jsonl"]);
    expect(
      lines.out
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { workflow: string }).workflow),
    ).toEqual(["trip.v10", "trip.v10"]);
    expect((await holdfast(["tasks", "count", "--state", "open"])).out).toBe("2\n");
    const more = "There are more: see --limit and --all.\n";
    expect((await holdfast(["tasks", "list", "--limit", "1"])).out.endsWith(more)).toBe(true);
    expect((await holdfast(["tasks", "list", "--limit", "2"])).out).not.toContain("There are more");
    const table = await holdfast(["tasks", "list", "--key", "t-1"]);
    expect(table.out).toMatch(/^ID +WORKFLOW +STATE +KEY/);
    expect((await holdfast(["tasks", "list", "--key", "none"])).out).toBe("No task matches.\n");
  });

  test("take their input from a file and from the standard input", async () => {
    const file = join(commanded.folder, "input.json");
    writeFileSync(file, JSON.stringify({ guest: "Bob", nights: 3 }));
    const [one, other] = [
      await holdfast(["tasks", "submit", "trip", "-i", `@${file}`, "-o", "id"]),
      await holdfast(["tasks", "submit", "trip", "-i", "-", "-o", "id"], {
        stdin: JSON.stringify(input),
      }),
    ];
    expect((await commanded.trips.get(`/v1/tasks/${one.out.trim()}`)).json()).toMatchObject({
      input: { guest: "Bob" },
    });
    expect((await commanded.trips.get(`/v1/tasks/${other.out.trim()}`)).json()).toMatchObject({
      input,
    });
  });

  test("are followed to their end: 0 when done, 1 when undone or halted, 4 when that takes longer", async () => {
    const [done, undone, open] = [await submitted(), await submitted(), await submitted()];
    await finishTask(commanded.trips.url, done);
    await finishTask(commanded.trips.url, undone, "undone");
    const watched = await holdfast(["tasks", "watch", done]);
    expect(watched.code).toBe(0);
    expect(watched.out).toMatch(/submit.*\n.*processed null\n$/s);
    const document = await holdfast(["tasks", "watch", undone, "--json"]);
    expect(document.code).toBe(1);
    expect(json(document)).toMatchObject({ state: "undone", events: [{ action: "submit" }] });
    expect(await holdfast(["tasks", "watch", open, "--wait", "1s", "--json"])).toMatchObject({
      code: 4,
    });
    const halted = await submitted();
    await finishTask(commanded.trips.url, halted, "halted", { isOver: false });
    const halt = await holdfast(["tasks", "watch", halted, "--json"]);
    expect(halt.code).toBe(1);
    expect(json(halt)).toMatchObject({ state: "halted", events: [{ action: "submit" }] });
    const waited = await holdfast([
      "tasks",
      "submit",
      "trip",
      "-i",
      JSON.stringify(input),
      "--wait",
      "1s",
      "--json",
    ]);
    expect(waited.code).toBe(4);
    expect(json(waited)).toMatchObject({ state: "pending" });
  });

  test("are acted on by id, with the name of who is logged in", async () => {
    const id = await submitted();
    expect(await holdfast(["tasks", "pause", id, "--reason", "look"])).toMatchObject({
      code: 0,
      out: `${id} pending (paused)\n`,
    });
    expect((await commanded.trips.get(`/v1/tasks/${id}`)).json()).toMatchObject({
      paused: { by: "operator:ann", reason: "look" },
    });
    const again = await holdfast(["tasks", "pause", id, "-r", "look", "--json"]);
    expect(again).toMatchObject({ code: 5, out: "" });
    expect(JSON.parse(again.err)).toMatchObject({
      error: { code: "task.already_paused", status: 409, exitCode: 5 },
    });
  });

  test("that match a filter are counted first, and changed only with --yes", async () => {
    for (const region of ["eu", "eu", "us"]) await submitted("--label", `region=${region}`);
    const cancel = ["tasks", "cancel", "--label", "region=eu", "-r", "closed"];
    const asked = await holdfast(cancel);
    expect(asked).toMatchObject({
      code: 2,
      err: expect.stringContaining("2 tasks match. Say --yes"),
    });
    const dry = await holdfast([...cancel, "--dry-run", "--json"]);
    expect(json(dry)).toMatchObject({ dryRun: true, count: 2 });
    expect((await commanded.trips.get("/v1/tasks/count?state=undone")).json()).toMatchObject({
      count: 0,
    });
    const done = await holdfast([...cancel, "--yes", "--json"]);
    expect(json(done)).toMatchObject({ count: 2, changed: 2, refused: 0 });
    expect((await commanded.trips.get("/v1/tasks/count?state=undone")).json()).toMatchObject({
      count: 2,
    });
    expect(json(await holdfast([...cancel, "--yes", "--json"]))).toMatchObject({ count: 0 });
  });
});
