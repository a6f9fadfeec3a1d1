import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { runCommand } from "../../test/run-command.ts";
import { allVerbs } from "./all-verbs.ts";
import { globalOptions, outputOptions } from "./global-options.ts";
import { fieldOf, type OperationId, operationIds, operationOf } from "./operation.ts";
import { ownOptions } from "./own-options.ts";
import type { Io } from "./verb.ts";

/** Operations that no verb asks for, and why. */
const withoutVerb: Partial<Record<OperationId, string>> = {
  getLive: "A probe for what runs the service; holdfast doctor looks at the whole system.",
  getConsoleSettings: "Settings of the console, for its page.",
  getReady: "A probe for what runs the service; holdfast doctor looks at the whole system.",
};

test("no verb has an option that an option of all verbs would hide", () => {
  const hidden = allVerbs.flatMap(({ name, options, isLocal = false }) =>
    Object.keys(options)
      .filter((option) => Object.hasOwn(isLocal ? outputOptions : globalOptions, option))
      .map((option) => `${name} --${option}`),
  );
  expect(hidden).toEqual([]);
});

test("each operation of the document is asked by a verb, or stands in a list with a reason", () => {
  const asked = new Set(allVerbs.flatMap(({ operations }) => operations));
  const without = operationIds.filter((id) => !asked.has(id));
  expect(without.toSorted()).toEqual(Object.keys(withoutVerb).toSorted());
});

test("each option is a field of an operation that its verb asks, or one of the command's own", () => {
  const remote = allVerbs.filter(({ isLocal = false }) => !isLocal);
  const strange = remote.flatMap(({ name, operations, options }) =>
    Object.entries(options).flatMap(([option, { field }]) => {
      if (field === undefined)
        return Object.hasOwn(ownOptions, option) ? [] : [`${name} --${option}`];
      // A filter in a body has the fields that a list has in its query.
      const isFilter = field.operation === "listTasks";
      const isThere = operations.some(
        (id) => hasField(id, field.name) || (isFilter && hasField(id, "filter")),
      );
      return isThere ? [] : [`${name} --${option}: ${field.name}`];
    }),
  );
  expect(strange).toEqual([]);
});

const hasField = (id: OperationId, name: string): boolean => {
  try {
    fieldOf(id, name as never);
    return true;
  } catch {
    return false;
  }
};

describe("against a service that answers everything", () => {
  const before = globalThis.fetch;
  let asked: OperationId[] = [];
  const step = { name: "book", processState: "error", agent: "hotels", attempt: 1, awaiting: null };
  const item = {
    id: "t1",
    name: "x",
    step: "book",
    action: "open",
    fromState: null,
    toState: "awaiting",
    decisions: [],
  };
  const answer = {
    id: "t1",
    state: "processed",
    version: 7,
    paused: null,
    steps: [step],
    items: [item],
    next: null,
    count: 0,
    complete: true,
    name: "stay.v1",
    warnings: [],
    definition: { name: "stay.v1" },
    result: null,
    faultCode: null,
    sentence: "It was processed.",
    evidence: [],
    groups: [],
    workflows: [],
    findings: [],
    violations: [],
    tasks: 0,
    ok: true,
    decisions: [],
    deadline: null,
    form: null,
  };
  /** The task has not ended yet; the service has no room for one more stream. */
  const statuses: Partial<Record<OperationId, number>> = {
    submitTask: 202,
    followTask: 503,
    followChanges: 503,
  };
  beforeEach(() => {
    asked = [];
    globalThis.fetch = async (url, init) => {
      const operation = operationAt(String(init?.method), new URL(url).pathname);
      asked.push(operation);
      const status = statuses[operation] ?? 200;
      const problem = { status, code: "request.overload", detail: "There is no room." };
      return new Response(JSON.stringify(status < 400 ? answer : problem), { status });
    };
  });
  afterEach(() => {
    globalThis.fetch = before;
  });

  const env = { HOLDFAST_URL: "http://holdfast.test", HOLDFAST_TOKEN: "token" };
  const run = async (line: readonly string[], ask: Io["ask"] = null) => {
    const { exitCode, stdout, stderr } = await runCommand(line, env, { ask });
    return { code: exitCode, out: stdout, err: stderr };
  };

  const file = new URL("../../test/stay.json", import.meta.url).pathname;
  const idsFile = new URL("../../test/ids.txt", import.meta.url).pathname;
  const operands: Readonly<Record<string, string>> = {
    "<file...>": file,
    "[id...]": "t1",
    "<action>": "resubmit",
    "<task>": "01a1fd8d-d928-77c8-96cb-353aaba1757f",
  };
  /** What some verbs cannot do without, beside their operands and a reason. */
  const needed: Readonly<Record<string, readonly string[]>> = {
    "signals send": ["--workflow", "stay", "--key", "k", "--id", "evt-1"],
    "approvals decide": ["--approve"],
  };
  const isNeeded: ReadonlySet<string> = new Set(["reason", "dry-run", "wait"]);
  const remote = allVerbs.filter(({ operations }) => operations.length > 0);

  test.each(remote.map((verb) => [verb.name, verb] as const))(
    "%s asks the operations that it names, and no other",
    async (name, verb) => {
      const given = verb.operands.map((operand) => operands[operand] ?? "x");
      const options = Object.keys(verb.options).filter((option) => isNeeded.has(option));
      const line = [...name.split(" "), ...given, ...(needed[name] ?? []), "--json"];
      const lines = [[], ["--dry-run"], ["--wait", "1s"]].filter(([option = "--reason"]) =>
        [...options, "reason"].includes(option.slice(2)),
      );
      const reason = options.includes("reason") ? ["--reason", "a test"] : [];
      const ids = Object.hasOwn(verb.options, "ids") ? ["--ids", idsFile] : [];
      for (const more of lines) {
        const { code, err } = await run([...line, ...reason, ...ids, ...more]);
        expect(err).toBe("");
        // A task that has ended takes no action, and its dry run says so.
        expect(more[0] === "--dry-run" ? [0, 5] : [0]).toContain(code);
      }
      // What only people are shown is asked for where they look.
      await run([...line.slice(0, -1), ...reason, ...ids]);
      if (operands[verb.operands[0] ?? ""] === "t1") {
        const filtered = [...name.split(" "), "--key", "k", ...reason, "--yes"];
        expect(await run(filtered)).toMatchObject({ code: 0 });
      }
      expect([...new Set(asked)].toSorted()).toEqual(verb.operations.toSorted());
    },
  );

  test("tasks that match a filter are changed when the person at the terminal agrees", async () => {
    const line = ["tasks", "cancel", "--label", "region=eu", "-r", "closed"];
    const questions: string[] = [];
    const saying = (word: string) => async (question: string) => {
      questions.push(question);
      return word;
    };
    expect(await run(line, saying("n"))).toMatchObject({ code: 1, out: "Nothing was changed.\n" });
    expect(asked).toEqual(["listTasks"]);
    expect((await run(line, saying("y"))).code).toBe(0);
    expect(asked).toContain("cancelTask");
    expect(questions).toEqual(["Cancel 1 task? [y/N] ", "Cancel 1 task? [y/N] "]);
    // What reads JSON is no person.
    expect((await run([...line, "--json"], saying("y"))).code).toBe(2);
  });

  test("keys make prints a key once, and its digest for the access file, and asks nothing", async () => {
    const { code, out } = await run(["keys", "make"]);
    const [key = "", digest] = out.trimEnd().split("\n");
    expect({ code, key, digest }).toEqual({
      code: 0,
      key: expect.stringMatching(/^hfk_[\w-]{43}$/),
      digest: `sha256:${createHash("sha256").update(key).digest("hex")}`,
    });
    expect((await run(["keys", "make", "-o", "id"])).out).toMatch(/^hfk_[\w-]{43}\n$/);
    expect(asked).toEqual([]);
  });

  test("config show says where it is said which service is used", async () => {
    const shown = async (...more: readonly string[]) => {
      const { out } = await run(["config", "show", "--json", ...more]);
      return JSON.parse(out) as object;
    };
    expect(await shown()).toMatchObject({ url: env.HOLDFAST_URL, source: "HOLDFAST_URL" });
    const url = "http://other.test";
    expect(await shown("--url", url)).toMatchObject({ url, source: "--url" });
  });

  test("a number of a request may have a fraction where the document says so", async () => {
    const line = ["bulk", "create", "pause", "--key", "k", "-r", "x", "--rate"];
    expect((await run([...line, "0.5"])).code).toBe(0);
    const { code, err } = await run([...line, "fast"]);
    expect({ code, err }).toEqual({
      code: 2,
      err: "--rate fast must be a number from 0.01 to 1000\n",
    });
  });

  test("a name that no item has is refused with the one that was meant", async () => {
    expect(await run(["agents", "get", "xx"])).toMatchObject({
      code: 3,
      err: "There is no xx: did you mean x?\n",
    });
  });

  test.each([
    [["tasks", "list", "--state", "lost"], /--state lost must be one of open, pending/],
    [["tasks", "list", "--key", ""], /--key must have 1 to 255 characters, and has 0/],
    [["tasks", "list", "--fault-code", "x".repeat(201)], /--fault-code must have 1 to 200/],
    [["tasks", "list", "--created-from", "noon"], /--created-from noon must be an instant/],
    [["tasks", "cancel", "t1", "-r", "a\0b"], /--reason "a\\u0000b" cannot be sent. Why/],
    [["tasks", "cancel", "t1"], /Say --reason/],
    [
      ["tasks", "submit", "stay", "--fairness-key", "a\nb"],
      /--fairness-key "a\\nb" cannot be sent/,
    ],
    [["approvals", "decide", "t1", "release"], /Say either --approve or --reject/],
    [["approvals", "decide", "t1", "release", "--approve", "--reject"], /Say either --approve/],
    [
      ["approvals", "decide", "t1", "release", "--reject"],
      /Say --reason: one who rejects says why/,
    ],
    [["approvals", "decide", "t1", "release", "--approve", "--form", "{"], /--form is no JSON/],
    [["tasks", "submit", "stay", "--priority", "now"], /must be one of urgent, normal, batch/],
    [["tasks", "search", "--filter", "{"], /--filter is no JSON/],
    [["tasks", "resubmit", "t1", "-r", "x", "--step", ""], /--step must have 1 to 200/],
  ])("%j is refused by what the document says, before anything is sent", async (line, words) => {
    expect(await run(line)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(words) });
    expect(asked).toEqual([]);
  });
});

/** The operation that a request asks for. */
function operationAt(method: string, path: string): OperationId {
  const fixed = (id: OperationId): number => operationOf(id).path.replaceAll(/\{\w+\}/g, "").length;
  const [found] = operationIds
    .filter((id) => operationOf(id).method === method)
    .filter((id) =>
      new RegExp(`^${operationOf(id).path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
    )
    .toSorted((one, other) => fixed(other) - fixed(one));
  if (found === undefined) throw new Error(`The document has no ${method} ${path}`);
  return found;
}
