import { spawn } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { holdfastCommand } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Commanded, json, openCommanded } from "../../test/command.ts";
import { input, token, trip } from "../../test/trips.ts";

let commanded: Commanded;
const holdfast: Commanded["holdfast"] = (...args) => commanded.holdfast(...args);

beforeAll(async () => {
  commanded = await openCommanded();
});
afterAll(async () => {
  await commanded[Symbol.asyncDispose]();
});
beforeEach(() => commanded.trips.clear());

describe("workflows and Agents", () => {
  test("are applied from JSON and from modules, shown and retired", async () => {
    const file = join(commanded.folder, "walk.json");
    writeFileSync(file, JSON.stringify(trip("walk.v1")));
    const module = join(commanded.folder, "run.mjs");
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
    expect(json(await holdfast(["workflows", "get", "walk", "--json"]))).toMatchObject({
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

  test("are not applied whose function decides for all tasks at once", async () => {
    const module = join(commanded.folder, "decide.mjs");
    writeFileSync(
      module,
      `const decide = { name: "decide.v1", definition: ${JSON.stringify(trip("decide.v1"))} };
       const write = (trip, step) => {
         if (trip.isPaid) step("charge");
       };
       const value = { write, following: [] };
       export default Object.defineProperty(decide, Symbol.for("holdfast.plan"), { value });`,
    );
    const { code, err } = await holdfast(["workflows", "apply", module, "--json"]);
    expect(code).toBe(5);
    expect(JSON.parse(err)).toMatchObject({
      error: {
        code: "workflow.invalid",
        message: expect.stringContaining("`trip.isPaid`: is decided"),
      },
    });
    expect((await holdfast(["workflows", "list", "-o", "id"])).out).not.toContain("decide.v1");
  });

  test("are applied although another one of their file cannot be JSON, which alone is refused", async () => {
    const workflow = new URL("../../../../packages/workflow/src/index.ts", import.meta.url).href;
    const module = join(commanded.folder, "mixed.mjs");
    writeFileSync(
      module,
      `import { defineWorkflow } from "${workflow}";
       const schema = { def: { type: "object", shape: { at: { def: { type: "date" } } } } };
       const definition = ${JSON.stringify(trip("stroll.v1"))};
       export const stroll = { name: "stroll.v1", definition };
       export const dated = defineWorkflow("dated.v1", schema, () => null);`,
    );
    const faults = [expect.stringMatching(/^\S+: dated\.v1, input\/at: a Date cannot be/)];
    for (const more of [["--dry-run"], []]) {
      const said = await holdfast(["workflows", "apply", module, "--json", ...more]);
      expect(said.code).toBe(5);
      expect(JSON.parse(said.out)).toMatchObject([
        { name: "stroll.v1", stored: "new" },
        { name: "dated.v1", stored: "invalid", faults },
      ]);
    }
    const { out } = await holdfast(["workflows", "list", "-o", "id"]);
    expect(out).toContain("stroll.v1\n");
    expect(out).not.toContain("dated.v1");
  });

  test("are applied although an Agent of their file is refused, which is named with the workflows that call it", async () => {
    const workflow = new URL("../../../../packages/workflow/src/index.ts", import.meta.url).href;
    const module = join(commanded.folder, "agents.mjs");
    writeFileSync(
      module,
      `import { defineAgent, defineWorkflow } from "${workflow}";
       const validate = (value) => ({ value });
       const jsonSchema = { input: () => ({ type: "object" }), output: () => ({ type: "object" }) };
       const good = { "~standard": { version: 1, vendor: "test", validate, jsonSchema } };
       const dated = { ...good, def: { type: "object", shape: { at: { def: { type: "date" } } } } };
       const diary = defineAgent("diary", { note: { input: dated, output: good } });
       export const noted = defineWorkflow("noted.v1", good, (_, step) =>
         void step("note", { call: diary.note({}), completeWithin: "1s" }));
       export const hike = { name: "hike.v1", definition: ${JSON.stringify(trip("hike.v1"))} };`,
    );
    const why = 'Agent diary: operation "note", input/at: a Date cannot be JSON';
    const said = await holdfast(["workflows", "apply", module, "--json"]);
    expect(said.code).toBe(5);
    const placed = (words: string) => [expect.stringMatching(new RegExp(`^\\S+: ${words}`))];
    expect(JSON.parse(said.out)).toMatchObject([
      { name: "hike.v1", stored: "new" },
      { name: "Agent diary", stored: "invalid", faults: placed(why) },
      {
        name: "noted.v1",
        stored: "invalid",
        faults: placed(`noted.v1, step "note": the Agent diary is refused: ${why}`),
      },
    ]);
  });

  test("the overview says what needs an operator, and failures are listed in groups", async () => {
    expect((await holdfast(["agents", "pause", "hotels", "-r", "night"])).code).toBe(0);
    const { out } = await holdfast(["system", "overview"]);
    expect(out).toMatch(
      /^0 pending, 0 processing.*\n[^]*! No Scheduler runs[^]*! The Agent hotels is paused by operator:ann since .* because: night\. To resume it: POST \/v1\/agents\/hotels\/resume\.\n/,
    );
    expect(json(await holdfast(["system", "overview", "--json"]))).toMatchObject({
      states: { pending: 0 },
    });
    expect(json(await holdfast(["system", "failures", "--json"]))).toMatchObject({ groups: [] });
    const none = ["tasks", "list", "--fingerprint", "0123456789abcdef", "--json"];
    expect(json(await holdfast(none))).toMatchObject([]);
    expect((await holdfast(["agents", "resume", "hotels", "-r", "day"])).code).toBe(0);
  });

  test("are paused and resumed", async () => {
    expect((await holdfast(["agents", "pause", "hotels", "-r", "night"])).code).toBe(0);
    const agents = json<{ name: string; paused: object | null }[]>(
      await holdfast(["agents", "list", "--json"]),
    );
    expect(agents.find(({ name }) => name === "hotels")?.paused).toMatchObject({
      by: "operator:ann",
    });
    expect((await holdfast(["agents", "resume", "hotels", "-r", "day"])).code).toBe(0);
    expect((await holdfast(["agents", "pause", "hostels", "-r", "x"])).code).toBe(3);
  });
});

describe("profiles", () => {
  const profiles = () => join(commanded.folder, "profiles.json");
  const env = () => ({ HOLDFAST_CONFIG: profiles() });

  test("hold a URL and a token in a file that only its owner reads", async () => {
    const set = await holdfast(["config", "set", "here", "--url", commanded.url, "--token-stdin"], {
      env: env(),
      stdin: `${token}\n`,
    });
    expect(set).toMatchObject({ code: 0, err: "" });
    expect(statSync(profiles()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(profiles(), "utf8"))).toMatchObject({
      current: "here",
      profiles: { here: { url: commanded.url, token } },
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
    const file = join(commanded.folder, "open.json");
    writeFileSync(file, "{}", { mode: 0o644 });
    const ran = await holdfast(["config", "list"], { env: { HOLDFAST_CONFIG: file } });
    expect(ran).toMatchObject({ code: 78, err: expect.stringContaining("chmod 600") });
  });
});

test.each<[readonly string[], number, RegExp]>([
  [["tasks"], 2, /Say what to do: holdfast tasks submit, get/],
  [["tasks", "fly"], 2, /^Unknown verb tasks fly\. See holdfast tasks --help\n$/],
  [["tasks", "get"], 2, /Write it as: holdfast tasks get <id>/],
  [["tasks", "get", "a", "b"], 2, /Write it as/],
  [
    ["tasks", "list", "--colour", "red"],
    2,
    /^Unknown option --colour\. See holdfast tasks list --help\n$/,
  ],
  [["tasks", "list", "-o", "xml"], 2, /one of table, json, jsonl, id/],
  [["tasks", "submit", "trip", "-i", "{"], 2, /--input is no JSON/],
  [["tasks", "submit", "trip", "-i", "@/none"], 2, /cannot be read/],
  [["tasks", "submit", "trip", "--label", "x"], 2, /such as region=eu/],
  [["tasks", "cancel", "-r", "x"], 2, /Say which tasks/],
  [["tasks", "cancel", "01a1fd8d-d928-77c8-96cb-353aaba1757f"], 2, /Say --reason/],
  [["tasks", "get", "01a1fd8d-d928-77c8-96cb-353aaba1757f"], 3, /There is no task/],
  [["tasks", "submit", "trap"], 3, /There is no workflow trap/],
  [["tasks", "submit", "trip"], 5, /failed validation[\s\S]*\/guest is missing/],
  [["tasks", "list", "--token", "wrong"], 5, /Show the operator.s token/],
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

test("a reader that closes the pipe ends the command without an error", async () => {
  // The reader has gone long before the command writes.
  const line = `"$0" "$@" completion fish | true; echo "\${PIPESTATUS[0]}"`;
  const child = spawn("bash", ["-c", line, process.execPath, ...holdfastCommand]);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ out, err }).toEqual({ out: "0\n", err: "" });
});

test("bash completes what it was given", async () => {
  const { out } = await holdfast(["completion", "bash"]);
  const script = join(commanded.folder, "completion.bash");
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
