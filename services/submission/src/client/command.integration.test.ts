import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { finishTask } from "../../test/finish-task.ts";
import { serve } from "../../test/serve.ts";
import { input, openTrips, type TripService, token, trip } from "../../test/trips.ts";

let trips: TripService;
let app: ReturnType<typeof serve>;
let url: string;
const folder = mkdtempSync(join(tmpdir(), "holdfast-command-"));
const main = fileURLToPath(new URL("../../../../packages/cli/src/main.ts", import.meta.url));

beforeAll(async () => {
  trips = await openTrips();
  app = serve(trips.store, { token });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Runs the command as a shell does, with the environment variables that say which service. */
async function holdfast(
  line: readonly string[],
  { env, stdin = "" }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(process.execPath, ["--conditions=@holdfast/source", main, ...line], {
    env: {
      PATH: process.env["PATH"] ?? "",
      USER: "ann",
      HOLDFAST_CONFIG: join(folder, "config.json"),
      ...(env ?? { HOLDFAST_URL: url, HOLDFAST_TOKEN: token }),
    },
  });
  child.stdin.end(stdin);
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exited, out, err };
}
const json = <T>({ out }: Ran): T => JSON.parse(out) as T;
const submitted = async (...more: readonly string[]) => {
  const ran = await holdfast([
    "tasks",
    "submit",
    "trip",
    "-i",
    JSON.stringify(input),
    "-o",
    "id",
    ...more,
  ]);
  expect(ran).toMatchObject({ code: 0, err: "" });
  return ran.out.trim();
};

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
    const table = await holdfast(["tasks", "list", "--key", "t-1"]);
    expect(table.out).toMatch(/^ID +WORKFLOW +STATE +KEY/);
    expect((await holdfast(["tasks", "list", "--key", "none"])).out).toBe("No task matches.\n");
  });

  test("take their input from a file and from the standard input", async () => {
    const file = join(folder, "input.json");
    writeFileSync(file, JSON.stringify({ guest: "Bob", nights: 3 }));
    const [one, other] = [
      await holdfast(["tasks", "submit", "trip", "-i", `@${file}`, "-o", "id"]),
      await holdfast(["tasks", "submit", "trip", "-i", "-", "-o", "id"], {
        stdin: JSON.stringify(input),
      }),
    ];
    expect((await trips.get(`/v1/tasks/${one.out.trim()}`)).json()).toMatchObject({
      input: { guest: "Bob" },
    });
    expect((await trips.get(`/v1/tasks/${other.out.trim()}`)).json()).toMatchObject({ input });
  });

  test("are followed to their end: 0 when done, 1 when undone, 4 when that takes longer", async () => {
    const [done, undone, open] = [await submitted(), await submitted(), await submitted()];
    await finishTask(trips.url, done);
    await finishTask(trips.url, undone, "compensated");
    const watched = await holdfast(["tasks", "watch", done]);
    expect(watched.code).toBe(0);
    expect(watched.out).toMatch(/submit.*\n.*processed null\n$/s);
    const document = await holdfast(["tasks", "watch", undone, "--json"]);
    expect(document.code).toBe(1);
    expect(json(document)).toMatchObject({ state: "compensated", events: [{ action: "submit" }] });
    expect(await holdfast(["tasks", "watch", open, "--wait", "1s", "--json"])).toMatchObject({
      code: 4,
    });
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
    expect((await trips.get(`/v1/tasks/${id}`)).json()).toMatchObject({
      paused: { by: "ann", reason: "look" },
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
    expect((await trips.get("/v1/tasks/count?state=compensated")).json()).toMatchObject({
      count: 0,
    });
    const done = await holdfast([...cancel, "--yes", "--json"]);
    expect(json(done)).toMatchObject({ count: 2, changed: 2, refused: 0 });
    expect((await trips.get("/v1/tasks/count?state=compensated")).json()).toMatchObject({
      count: 2,
    });
    expect(json(await holdfast([...cancel, "--yes", "--json"]))).toMatchObject({ count: 0 });
  });
});

describe("workflows and Agents", () => {
  test("are applied from JSON and from modules, shown and retired", async () => {
    const file = join(folder, "walk.json");
    writeFileSync(file, JSON.stringify(trip("walk.v1")));
    const module = join(folder, "run.mjs");
    writeFileSync(
      module,
      `export const run = { name: "run.v1", definition: ${JSON.stringify(trip("run.v1"))} };`,
    );
    const apply = ["workflows", "apply", file, module, "--json"];
    expect(json(await holdfast([...apply, "--dry-run"]))).toMatchObject([
      { name: "walk.v1", stored: "new" },
      { stored: "new" },
    ]);
    expect(json(await holdfast(apply))).toMatchObject([
      { stored: "new" },
      { name: "run.v1", stored: "new" },
    ]);
    expect(json(await holdfast(apply))).toMatchObject([{ stored: "same" }, { stored: "same" }]);
    expect((await holdfast(["workflows", "list", "-o", "id"])).out).toContain("walk.v1\n");
    expect(json(await holdfast(["workflows", "show", "walk", "--json"]))).toMatchObject({
      name: "walk.v1",
    });
    expect((await holdfast(["workflows", "retire", "walk.v1", "-r", "old"])).code).toBe(0);
    const refused = await holdfast(["tasks", "submit", "walk", "-i", JSON.stringify(input)]);
    expect(refused).toMatchObject({ code: 5, out: "" });
    writeFileSync(file, JSON.stringify({ ...trip("walk.v1"), output: { a: 1 } }));
    expect(json<object[]>(await holdfast([...apply, "--dry-run"]))[0]).toMatchObject({
      stored: "changed: give it a new version",
    });
    expect(await holdfast(["workflows", "apply", file])).toMatchObject({ code: 5 });
  });

  test("are paused and resumed", async () => {
    expect((await holdfast(["agents", "pause", "hotels", "-r", "night"])).code).toBe(0);
    const agents = json<{ name: string; paused: object | null }[]>(
      await holdfast(["agents", "list", "--json"]),
    );
    expect(agents.find(({ name }) => name === "hotels")?.paused).toMatchObject({ by: "ann" });
    expect((await holdfast(["agents", "resume", "hotels", "-r", "day"])).code).toBe(0);
    expect((await holdfast(["agents", "pause", "hostels", "-r", "x"])).code).toBe(3);
  });
});

describe("profiles", () => {
  const profiles = () => join(folder, "profiles.json");
  const env = () => ({ HOLDFAST_CONFIG: profiles() });

  test("hold a URL and a token in a file that only its owner reads", async () => {
    const set = await holdfast(["config", "set", "here", "--url", url, "--token-stdin"], {
      env: env(),
      stdin: `${token}\n`,
    });
    expect(set).toMatchObject({ code: 0, err: "" });
    expect(statSync(profiles()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(profiles(), "utf8"))).toMatchObject({
      current: "here",
      profiles: { here: { url, token } },
    });
    expect((await holdfast(["tasks", "list"], { env: env() })).code).toBe(0);
    const listed = await holdfast(["config", "list", "--json"], { env: env() });
    expect(listed.out).not.toContain(token);
    expect((await holdfast(["keys", "check"], { env: env() })).code).toBe(0);
    const other = await holdfast(["tasks", "list", "--profile", "there"], { env: env() });
    expect(other).toMatchObject({
      code: 2,
      err: expect.stringContaining("no profile there; there are: here"),
    });
    // The token of a profile is not shown to another service.
    const elsewhere = await holdfast(["config", "show", "--url", "http://127.0.0.1:1", "--json"], {
      env: env(),
    });
    expect(json(elsewhere)).toMatchObject({ token: null });
  });

  test("that others may read are refused", async () => {
    const file = join(folder, "open.json");
    writeFileSync(file, "{}", { mode: 0o644 });
    const ran = await holdfast(["config", "list"], { env: { HOLDFAST_CONFIG: file } });
    expect(ran).toMatchObject({ code: 78, err: expect.stringContaining("chmod 600") });
  });
});

test.each<[readonly string[], number, RegExp]>([
  [["tasks"], 2, /Say what to do: holdfast tasks submit, get/],
  [["tasks", "fly"], 2, /no holdfast tasks fly/],
  [["tasks", "get"], 2, /Write it as: holdfast tasks get <id>/],
  [["tasks", "get", "a", "b"], 2, /Write it as/],
  [["tasks", "list", "--colour", "red"], 2, /Unknown option '--colour'/],
  [["tasks", "list", "-o", "xml"], 2, /one of table, json, jsonl, id/],
  [["tasks", "submit", "trip", "-i", "{"], 2, /--input is no JSON/],
  [["tasks", "submit", "trip", "-i", "@/none"], 2, /cannot be read/],
  [["tasks", "submit", "trip", "--label", "x"], 2, /such as region=eu/],
  [["tasks", "cancel", "-r", "x"], 2, /Say which tasks/],
  [["tasks", "cancel", "01a1fd8d-d928-77c8-96cb-353aaba1757f"], 2, /Say --reason/],
  [["tasks", "get", "01a1fd8d-d928-77c8-96cb-353aaba1757f"], 3, /There is no task/],
  [["tasks", "submit", "trap"], 3, /There is no workflow trap/],
  [["tasks", "submit", "trip"], 5, /failed validation[\s\S]*\/guest is missing/],
  [["tasks", "list", "--token", "wrong"], 5, /operator's token/],
  [["tasks", "list", "--url", "ftp://x"], 2, /no URL of a submission service/],
])("holdfast %j ends with exit code %i and one sentence", async (line, code, words) => {
  const ran = await holdfast(line);
  expect(ran).toMatchObject({ code, out: "", err: expect.stringMatching(words) });
  expect(ran.err).not.toMatch(/ at .*:\d+:\d+/);
});

test("a service that is not there is exit code 69, as an object with --json", async () => {
  const ran = await holdfast(["tasks", "get", "x", "--url", "http://127.0.0.1:1", "--json"]);
  expect(ran).toMatchObject({ code: 69, out: "" });
  expect(JSON.parse(ran.err)).toMatchObject({
    error: { code: "client.not_reachable", exitCode: 69 },
  });
});

test.each(["bash", "zsh", "fish"])(
  "there is a completion for %s that knows the verbs and their options",
  async (shell) => {
    const { out, code } = await holdfast(["completion", shell]);
    expect(code).toBe(0);
    for (const word of ["tasks", "resubmit", "workflows", "apply", "idempotency-key", "doctor"]) {
      expect(out).toContain(word);
    }
  },
);

test("bash completes what it was given", async () => {
  const { out } = await holdfast(["completion", "bash"]);
  const script = join(folder, "completion.bash");
  writeFileSync(
    script,
    `${out}
COMP_WORDS=(holdfast tasks res); COMP_CWORD=2; _holdfast; echo "\${COMPREPLY[@]}"
COMP_WORDS=(holdfast tasks list --state ""); COMP_CWORD=4; _holdfast; echo "\${COMPREPLY[0]}"
COMP_WORDS=(holdfast tasks list --la); COMP_CWORD=3; _holdfast; echo "\${COMPREPLY[@]}"
`,
  );
  const child = spawn("bash", [script]);
  expect(await text(child.stdout)).toBe("resume resubmit resolve\nopen\n--label\n");
});
