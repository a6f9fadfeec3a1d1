import { execFileSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { runCommand } from "../test/run-command.ts";
import { allVerbs, commands, groupSummaries } from "./api/all-verbs.ts";
import { completionScript } from "./api/completion.ts";
import { optionsOf } from "./api/global-options.ts";
import { devOptionsOf } from "./api/verbs/local.ts";
import { durationOf, environmentFor } from "./direct/settings.ts";

const id = "01a1fd8d-d928-77c8-96cb-353aaba1757f";
const env = { HOLDFAST_CONFIG: "/nonexistent/profiles.json" };
const holdfast = (...args: readonly string[]) => runCommand(args, env);

describe("the command line", () => {
  test("shows the help if there are no arguments", async () => {
    const { stdout, exitCode } = await holdfast();
    expect(exitCode).toBe(0);
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
    expect(await holdfast("help")).toEqual({ exitCode, stdout, stderr: "" });
  });

  test("shows the help of a command for -h, whatever the other arguments", async () => {
    const { stdout } = await holdfast("verify", "-h");
    expect(stdout).toMatch(/^holdfast verify \[options\]\n\n {2}look for what must never be/);
    expect((await holdfast("help", "verify")).stdout).toBe(stdout);
  });

  test("shows the verbs of a group in a line each, and options in the help of a verb only", async () => {
    const group = (await holdfast("tasks", "--help")).stdout;
    const verbs = allVerbs.filter(({ name }) => name.startsWith("tasks "));
    const rows = group.split("\n").filter((line) => / {2}\S/.test(line));
    expect(rows.length).toBeLessThan(2.5 * verbs.length);
    expect(group).not.toContain("--fault-code");
    const verb = (await holdfast("tasks", "cancel", "--help")).stdout;
    expect(verb).toContain("--fault-code");
    expect(verb).toMatch(/For example:\n {2}holdfast tasks cancel /);
  });

  test("shows the version for --version, whatever the other arguments", async () => {
    const { stdout } = await holdfast("--version");
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
    expect((await holdfast("verify", "--version")).stdout).toBe(stdout);
    expect((await holdfast("version")).stdout).toBe(stdout);
  });

  test("names a task by its id, however it is written", async () => {
    const opened = await holdfast("open", id.toUpperCase(), "--url", "https://example.test:3000");
    expect(opened.stdout).toBe(`https://example.test:3000/console/tasks/${id}\n`);
    const elsewhere = await holdfast("open", id, "--console-url", "http://127.0.0.1:3100/console/");
    expect(elsewhere.stdout).toBe(`http://127.0.0.1:3100/console/tasks/${id}\n`);
  });

  test.each([
    [["veriyf"], "Unknown command veriyf. Did you mean verify? See holdfast --help"],
    [["zebra"], "Unknown command zebra. See holdfast --help"],
    [["tasks", "lits"], "Unknown verb tasks lits. Did you mean list? See holdfast tasks --help"],
    [["tasks"], /^Say what to do: holdfast tasks submit, get/],
    [["why"], "Write it as: holdfast why <task>"],
    [["why", "nonsense"], /^nonsense is no task id: it is the id with which a task was accepted/],
    [["why", id, id], "Write it as: holdfast why <task>"],
    [["verify", id], "Write it as: holdfast verify"],
    [
      ["verify", "--sinse", "1h"],
      "Unknown option --sinse. Did you mean --since? See holdfast verify --help",
    ],
    [["verify", "--since"], /--since/],
    [["docs", "a", "b"], "Write it as: holdfast docs [page]"],
    [["dev", "--port", "eighty"], "--port must be a number from 1 to 65535, and is eighty."],
    [["dev", "--port", "70000"], /^--port must be a number/],
    [["dev", "--fast"], /--fast/],
    [["dev", "shop"], "Write it as: holdfast dev"],
  ])("refuses %j in one line", async (args, reason) => {
    const { exitCode, stdout, stderr } = await holdfast(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      typeof reason === "string" ? reason : expect.stringMatching(reason),
    ]);
  });

  test.each([
    [["veriyf", "--json"]],
    [["tasks", "lits", "--json"]],
    [["topology", "draw", "--json"]],
    [["docs", "nothing", "--json"]],
    [["test", "--workflows", "x", "--json", "nowhere/*.json"]],
    [["doctor", "--direct", "--json"]],
    [["why", id, "--url", "http://127.0.0.1:1", "--since", "1h", "--json"]],
  ])("writes an error of %j as JSON to the standard error, and nothing else", async (args) => {
    const { exitCode, stdout, stderr } = await holdfast(...args);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toEqual({
      error: { code: expect.any(String), message: expect.any(String), exitCode },
    });
    expect(exitCode).toBeGreaterThan(0);
  });
});

test("holdfast dev begins at port 3000 and keeps its data, unless its options say otherwise", () => {
  const asked = (texts: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
    devOptionsOf({ text: (option) => texts[option], flag: (option) => flags.includes(option) });
  expect(asked({})).toEqual({ fresh: false, takesOver: false, port: 3_000 });
  expect(asked({ port: "4100" }, "fresh")).toMatchObject({ fresh: true, port: 4_100 });
  expect(asked({}, "take-over")).toMatchObject({ takesOver: true });
});

describe("the table of commands", () => {
  test("has a summary of each group, and of nothing else", () => {
    const groups = allVerbs.flatMap(({ name }) =>
      name.includes(" ") ? [name.split(" ")[0] ?? ""] : [],
    );
    expect(Object.keys(groupSummaries).toSorted()).toEqual([...new Set(groups)].toSorted());
  });

  test("has examples that its verbs take", () => {
    const strange = allVerbs.flatMap((verb) =>
      (verb.examples ?? []).flatMap((example) => {
        const known = Object.entries(optionsOf(verb)).flatMap(([name, { short }]) =>
          short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`],
        );
        const options = example.match(/(?<= )--?[a-z-]+/g) ?? [];
        const isOdd =
          !`${example} `.startsWith(`${verb.name} `) || options.some((one) => !known.includes(one));
        return isOdd ? [example] : [];
      }),
    );
    expect(strange).toEqual([]);
  });

  test.each(["bash", "zsh", "fish"] as const)("is what %s completes, as a whole", (shell) => {
    const script = completionScript(shell, allVerbs);
    for (const word of [...commands, "help"]) expect(script).toMatch(new RegExp(`\\b${word}\\b`));
    for (const verb of allVerbs) {
      for (const option of Object.keys(optionsOf(verb))) {
        expect(script).toContain(shell === "fish" ? `-l ${option}` : `--${option}`);
      }
    }
  });

  test.each([
    [["agents", "get", ""], "agents list -o id"],
    [["tasks", "submit", ""], "workflows list -o id"],
    [["bulk", "watch", ""], "bulk list -o id"],
    [["config", "use", ""], "config list -o id"],
    [["why", ""], "tasks list -o id"],
  ])("lets bash complete %j by what the service has", (words, asked) => {
    const script = `${completionScript("bash", allVerbs)}
holdfast() { [ "$*" = "${asked}" ] && printf 'one\\ntwo\\n'; }
timeout() { shift; "$@"; }
COMP_WORDS=(holdfast ${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length}
_holdfast; echo "\${COMPREPLY[*]}"`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8" })).toBe("one two\n");
  });

  test("lets bash run nothing of what a service answers, and complete none of it", () => {
    const names = ["$(echo run >&2)", "`echo run >&2`", "a;b", "*", "-x", "order.v1", "a b"];
    const script = `${completionScript("bash", allVerbs)}
holdfast() { printf '%s\\n' ${names.map((name) => `'${name}'`).join(" ")}; }
timeout() { shift; "$@"; }
COMP_WORDS=(holdfast agents get ""); COMP_CWORD=3
_holdfast 2>&1; echo "\${COMPREPLY[*]}"`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8" })).toBe("order.v1\n");
  });
});

describe("what is shown of times", () => {
  const createdAt = new Date(Date.now() - 3 * 60_000).toISOString();
  const answering = async (isOutputTerminal: boolean) => {
    const before = globalThis.fetch;
    const items = [{ name: "walk.v1", createdAt }];
    globalThis.fetch = async () => new Response(JSON.stringify({ items, next: null }));
    const service = { ...env, HOLDFAST_URL: "http://holdfast.test", HOLDFAST_TOKEN: "token" };
    try {
      return (await runCommand(["workflows", "list"], service, { isOutputTerminal })).stdout;
    } finally {
      globalThis.fetch = before;
    }
  };

  test("is how long ago for a person, and the instant for a program", async () => {
    expect(await answering(true)).toContain("3 min ago");
    expect(await answering(false)).toContain(createdAt);
  });
});

describe("settings", () => {
  test("prefer the option to the environment variable, and that to its file", () => {
    const text = (option: string) =>
      option === "state-store-url" ? "postgres://option/x" : undefined;
    const io = {
      env: { STATE_STORE_URL: "postgres://env/x", STATE_STORE_URL_FILE: "/run/secret" },
    };
    expect(environmentFor({ text, io: io as never })).toMatchObject({
      STATE_STORE_URL: "postgres://option/x",
      STATE_STORE_URL_FILE: "",
    });
  });

  test("accept durations", () => {
    const given = (since: string) => ({
      text: (option: string) => (option === "since" ? since : undefined),
    });
    expect(durationOf(given("24h"), "since")).toBe(86_400_000);
    expect(durationOf(given("24h"), "open-for")).toBeNull();
    expect(() => durationOf(given("yesterday"), "since")).toThrow(
      "--since yesterday must be a duration such as",
    );
  });
});
