import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { type Dev, openDev } from "../test/open-dev.ts";

/** An Agent whose operation waits for a file, and says which process it runs in. */
const agentOf = (name: string, word = "hello"): string => `
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { host } from "@holdfast/agent";
import { defineAgent } from "@holdfast/workflow";
import { z } from "zod";
export const ${name} = defineAgent("${name}", {
  say: { input: z.object({ to: z.string() }), output: z.object({ pid: z.int(), word: z.string() }) },
});
export const agent = host(${name}, {
  async say({ to }, { signal }) {
    while (to === "waits" && !existsSync("go")) await sleep(20, undefined, { signal });
    return { pid: process.pid, word: "${word}" };
  },
});
`;
const workflowOf = (agent: string, result = "said", operation = "say"): string => `
import { defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";
import { ${agent} } from "../agents/${agent}.ts";
export const flow = defineWorkflow("${agent}-flow.v1", z.object({ to: z.string() }), ({ to }, step) => {
  const said = step("${operation}", { call: ${agent}.say({ to }), completeWithin: "60s" });
  return { ${result}: said };
});
`;
const project = { "agents/mail.ts": agentOf("mail"), "workflows/mail.ts": workflowOf("mail") };

let dev: Dev;
afterEach(async () => {
  await dev[Symbol.asyncDispose]();
});

/** The token of operators, as other commands find it. */
const tokenOf = ({ folder }: Dev): string =>
  JSON.parse(readFileSync(join(folder, ".holdfast/dev/places.json"), "utf8")).operatorToken;

const resultOf = async (workflow: string): Promise<unknown> =>
  (await dev.ended(await dev.submit(workflow, { to: "ann" }))).result;
const processOf = async (workflow: string): Promise<unknown> =>
  ((await resultOf(workflow)) as { readonly said: { readonly pid: number } }).said.pid;

test("a task under way keeps its definition while another one is saved, and the next task gets the new one", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  const before = await dev.submit("mail-flow", { to: "waits" });
  dev.save("workflows/mail.ts", workflowOf("mail", "told"));
  await dev.seen(/mail-flow is now mail-flow\.v\d+/);
  expect(await resultOf("mail-flow")).toMatchObject({ told: { word: "hello" } });
  dev.save("go", "");
  expect((await dev.ended(before)).result).toMatchObject({ said: { word: "hello" } });
});

test("two projects that start at the same moment each get a port of their own", async () => {
  const [first, second] = await Promise.all([openDev(project), openDev(project)]);
  dev = first;
  await using other = second;
  await Promise.all([dev.seen(/^keys:/m), other.seen(/^keys:/m)]);
  expect(other.api).not.toBe(dev.api);
  expect(`${dev.text}${other.text}`).not.toContain("EADDRINUSE");
});

test("the save of an Agent restarts that Agent and no other", async () => {
  dev = await openDev({
    ...project,
    "agents/post.ts": agentOf("post"),
    "workflows/post.ts": workflowOf("post"),
  });
  await dev.seen(/^keys:/m);
  const [mail, post] = [await processOf("mail-flow"), await processOf("post-flow")];
  dev.save("agents/mail.ts", agentOf("mail", "goodbye"));
  await dev.seen(/agents\/mail\.ts runs anew/);
  expect(await resultOf("mail-flow")).toMatchObject({ said: { word: "goodbye" } });
  expect(await processOf("mail-flow")).not.toBe(mail);
  expect(await processOf("post-flow")).toBe(post);
});

test("the save of a package beside the project reloads the Agents and workflows that import it", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  const words = `../words-${randomUUID()}`;
  try {
    dev.save(
      `${words}/package.json`,
      '{ "name": "words", "type": "module", "exports": "./src/index.ts" }',
    );
    dev.save(`${words}/src/index.ts`, 'export { word } from "./word.ts";\n');
    dev.save(`${words}/src/word.ts`, 'export const word = "one";\n');
    mkdirSync(join(dev.folder, "node_modules"));
    symlinkSync(join(dev.folder, words), join(dev.folder, "node_modules/words"));
    const importing = 'import { word } from "words";\n';
    dev.save("agents/mail.ts", importing + agentOf("mail").replace('"hello"', "word"));
    await dev.seen(/agents\/mail\.ts runs anew/);
    dev.save(
      "workflows/mail.ts",
      importing + workflowOf("mail").replace("said: said", "[word]: said"),
    );
    await dev.seen(/mail-flow is now/);
    expect(await resultOf("mail-flow")).toMatchObject({ one: { word: "one" } });
    dev.forget();
    dev.save(`${words}/src/word.ts`, 'export const word = "two";\n');
    await Promise.all([dev.seen(/agents\/mail\.ts runs anew/), dev.seen(/mail-flow is now/)]);
    expect(await resultOf("mail-flow")).toMatchObject({ two: { word: "two" } });
  } finally {
    rmSync(join(dev.folder, words), { recursive: true });
  }
});

test("a workflow that cannot be JSON is refused with its line, and the others of its file are taken", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  const other = (schema: string) =>
    `${workflowOf("mail", "told")}export const dated = defineWorkflow("dated.v1", z.object({ at: ${schema} }), (_, step) => step("say", { call: mail.say({ to: "ann" }), completeWithin: "60s" }));\n`;
  dev.save("workflows/mail.ts", other("z.date()"));
  await dev.seen(/^workflows\/mail\.ts:9: dated\.v1, input\/at: a Date cannot be JSON/m);
  await dev.seen(/mail-flow is now/);
  expect(await resultOf("mail-flow")).toMatchObject({ told: { word: "hello" } });
  dev.forget();
  dev.save("workflows/mail.ts", other("z.string()"));
  await dev.seen(/dated is now/);
  dev.save("workflows/mail.ts", other("z.date()"));
  await dev.seen(/a Date cannot be JSON: .* The last good definition stays\./);
  expect(await dev.submit("dated", { at: "noon" })).toMatch(/^[0-9a-f-]{36}$/);
});

test("a mistake in an Agent or a workflow keeps the last good one, and is named with file and line", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  const pid = await processOf("mail-flow");
  dev.save("agents/mail.ts", `${agentOf("mail", "broken")}\nconst = 1;\n`);
  const line = agentOf("mail").split("\n").length + 1;
  await dev.seen(new RegExp(`^agents/mail\\.ts:${line}: .* The last good one goes on\\.`, "m"));
  await dev.seen(/^agents\/mail\.ts:\d+: .* The last good definition stays\./m);
  expect(await processOf("mail-flow")).toBe(pid);
  dev.forget();
  dev.save("agents/mail.ts", agentOf("mail", "mended"));
  await dev.seen(/agents\/mail\.ts runs anew/);
  expect(await resultOf("mail-flow")).toMatchObject({ said: { word: "mended" } });
});

/** A file with the Agent of `agentOf` and another one, which has no handler. */
const withoutHandler = (word?: string): string =>
  `${agentOf("mail", word)}export const other = host(defineAgent("other", {
  do: { input: z.object({}), output: z.object({}) },
}), {});
`;

test("an Agent without a handler is refused by its name and line, and the other one of its file runs", async () => {
  dev = await openDev({ ...project, "agents/mail.ts": withoutHandler() });
  await dev.seen(/^keys:/m);
  const line = agentOf("mail").split("\n").length;
  const why = `Agent other: no handler is given for do: add a function of that name`;
  const place = `^agents/mail\\.ts:${line}: ${why}`;
  await dev.seen(new RegExp(`${place}\\. The other Agents of agents/mail\\.ts run\\.$`, "m"));
  expect(await resultOf("mail-flow")).toMatchObject({ said: { word: "hello" } });
  dev.save("agents/mail.ts", agentOf("mail", "whole"));
  await dev.seen(/agents\/mail\.ts runs anew/);
  dev.forget();
  dev.save("agents/mail.ts", withoutHandler("in part"));
  await dev.seen(new RegExp(`${place} The last good one goes on\\.$`, "m"));
  expect(await resultOf("mail-flow")).toMatchObject({ said: { word: "whole" } });
});

test("an Agent file that waits at its top level is named and holds up nothing, and runs once it is loaded", async () => {
  const waiting = (what: string): string => `${agentOf("post")}${what}`;
  const untilCome = `while (!existsSync("come")) await sleep(20);\n`;
  dev = await openDev({
    ...project,
    "agents/post.ts": waiting(untilCome),
    "agents/stuck.ts": "await new Promise(() => {});\n",
    "lib/post.ts": agentOf("post"),
    "workflows/post.ts": workflowOf("post").replace("../agents/", "../lib/"),
  });
  const why = "it waits for something at its top level, such as a server:";
  await dev.seen(new RegExp(`^agents/post\\.ts: ${why}`, "m"));
  await dev.seen(new RegExp(`^agents/stuck\\.ts: ${why}`, "m"));
  await dev.seen(/^keys:/m);
  expect(await resultOf("mail-flow")).toMatchObject({ said: { word: "hello" } });
  dev.save("come", "");
  await dev.seen(/^agents\/post\.ts runs now$/m);
  expect(await resultOf("post-flow")).toMatchObject({ said: { word: "hello" } });
  dev.save("agents/stuck.ts", agentOf("stuck"));
  await dev.seen(/^agents\/stuck\.ts runs anew/m);
}, 120_000);

test("a project that begins with mistakes runs, and takes what is mended", async () => {
  dev = await openDev({ ...project, "workflows/mail.ts": "export const flow = ;\n" });
  await dev.seen(/^keys:/m);
  expect(dev.text).toMatch(/^workflows\/mail\.ts:1: /m);
  dev.press("s");
  await dev.seen(/There is no workflow yet/);
  dev.save("workflows/mail.ts", workflowOf("mail"));
  await dev.seen(/mail-flow is now/);
  expect(await resultOf("mail-flow")).toMatchObject({ said: { word: "hello" } });
});

test("a step that no Agent can do is named at the save, and its task waits until an Agent comes", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  dev.save("lib/post.ts", agentOf("post"));
  dev.save("workflows/post.ts", workflowOf("post").replace("../agents/", "../lib/"));
  await dev.seen(/^post-flow: No Agent post for the step say: add agents\/post\.ts/m);
  const waiting = await dev.submit("post-flow", { to: "ann" });
  dev.save("agents/post.ts", agentOf("post"));
  expect((await dev.ended(waiting)).state).toBe("processed");
});

test("a workflow whose file is removed takes no new tasks", async () => {
  dev = await openDev({
    ...project,
    "workflows/other.ts": workflowOf("mail").replace("mail-flow", "other"),
  });
  await dev.seen(/^keys:/m);
  expect(await resultOf("other")).toMatchObject({ said: { word: "hello" } });
  dev.remove("workflows/other.ts");
  await expect(async () => {
    for (;;) {
      await dev.submit("other", { to: "ann" });
      await sleep(20);
    }
  }).rejects.toThrow("workflow.retired");
});

test("holdfast dev that is killed with -9 leaves no process behind", async () => {
  const marker = randomUUID();
  dev = await openDev(project, { marker });
  await dev.seen(/^keys:/m);
  // Itself, the Agent, and the one that is ready for the next save.
  expect(processesWith(marker).length).toBeGreaterThan(2);
  dev.kill("SIGKILL");
  await dev.exited;
  while (processesWith(marker).length > 0) await sleep(50);
});

test("holdfast dev stops in order, and keeps where its API was from other people", async () => {
  const marker = randomUUID();
  dev = await openDev(project, { marker });
  await dev.seen(/^keys:/m);
  const places = join(dev.folder, ".holdfast/dev/places.json");
  expect(JSON.parse(readFileSync(places, "utf8"))).toMatchObject({ api: dev.api });
  expect(statSync(places).mode & 0o077).toBe(0);
  dev.press("\u0003");
  expect(await dev.exited).toBe(0);
  expect(processesWith(marker)).toEqual([]);
  expect(dev.text).toContain("stopping …");
});

test("what a person has set for services in the terminal reaches them", async () => {
  const env = { MAX_CONNECTIONS: "77", NODE_OPTIONS: "--max-old-space-size=4000" };
  dev = await openDev(project, { env });
  await dev.seen(/^keys:/m);
  const headers = { authorization: `Bearer ${tokenOf(dev)}` };
  const system = (await (await fetch(`${dev.api}/v1/system`, { headers })).json()) as {
    readonly configuration: Readonly<Record<string, unknown>>;
  };
  expect(system.configuration["MAX_CONNECTIONS"]).toBe(77);
});

test("the token of operators is new at each start, and no page of another name reaches the API", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  const first = tokenOf(dev);
  expect(first).toMatch(/^[\w-]{24}$/);
  expect(dev.text).toContain(`${dev.api}/console/#token=${first}`);
  const published = { authorization: "Bearer local-operator" };
  expect((await fetch(`${dev.api}/v1/pauses`, { headers: published })).status).toBe(401);
  const rebound = request(`${dev.api}/v1/pauses`, {
    headers: { host: "rebind.evil.example", authorization: `Bearer ${first}` },
  });
  const [answer] = (await once(rebound.end(), "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(421);
  answer.resume();
  await dev[Symbol.asyncDispose]();
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  expect(tokenOf(dev)).not.toBe(first);
});

test("two people may decide by keys that are new at each start, and no one else may", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  const { keys } = JSON.parse(
    readFileSync(join(dev.folder, ".holdfast/dev/places.json"), "utf8"),
  ) as { readonly keys: Readonly<Record<string, string>> };
  expect(Object.keys(keys)).toEqual(["ada", "grace"]);
  const ask = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${dev.api}/v1/approvals?mine=true`, { headers })).status;
  };
  for (const [id, key] of Object.entries(keys)) {
    expect(dev.text).toContain(`${key}   of ${id}`);
    expect(await ask(key)).toBe(200);
  }
  expect(await ask(`hfk_${"a".repeat(43)}`)).toBe(401);
});

test("the API takes another port where the first one is in use", async () => {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    dev = await openDev(project, { args: ["--port", String(port)] });
    await dev.seen(/^keys:/m);
    expect(Number(new URL(dev.api).port)).toBeGreaterThan(port);
  } finally {
    server.close();
  }
});

test("a second holdfast dev in the same folder is refused in one sentence", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  const second = await dev.again();
  expect(second.code).toBe(1);
  expect(second.text).toMatch(/^.* is in use by process \d+\. Stop that one first\.\n$/);
  expect(await resultOf("mail-flow")).toMatchObject({ said: { word: "hello" } });
});

test("a state store or a broker of another project is refused in one sentence, and stays as it is", async () => {
  dev = await openDev(project);
  await dev.seen(/^keys:/m);
  const places = JSON.parse(readFileSync(join(dev.folder, ".holdfast/dev/places.json"), "utf8"));
  const { stateStoreUrl, brokerUrl } = places as Readonly<Record<string, string>>;
  for (const env of [{ STATE_STORE_URL: stateStoreUrl! }, { BROKER_URL: brokerUrl! }]) {
    await using other = await openDev({ "workflows/none.json": "{}" }, { env });
    expect(await other.exited).toBe(1);
    expect(other.text).toMatch(
      new RegExp(
        `^The .* of ${Object.keys(env)[0]} is used by another installation .* --take-over\\.$`,
        "m",
      ),
    );
  }
  expect(await resultOf("mail-flow")).toMatchObject({ said: { word: "hello" } });
});

test("a broker that does not answer is named, with exit code 69 and without a stack", async () => {
  dev = await openDev({ "readme.txt": "" });
  await dev.exited;
  dev.save("workflows/none.json", "{}");
  const { code, text } = await dev.again({ BROKER_URL: "amqp://127.0.0.1:1/x" });
  expect(code).toBe(69);
  expect(text).not.toMatch(/^ +at /m);
});

test("a folder without a project is refused in one sentence, and nothing is started or written", async () => {
  dev = await openDev({ "readme.txt": "" });
  expect(await dev.exited).toBe(2);
  expect(dev.text).toMatch(
    /^There is no folder workflows\/ or agents\/ in .*: make one, or start with npm create holdfast\.\n$/,
  );
  expect(existsSync(join(dev.folder, ".holdfast"))).toBe(false);
});

function processesWith(marker: string): readonly string[] {
  const environmentOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8");
    } catch {
      return ""; // It has ended.
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(`HOLDFAST_DEV_TEST=${marker}`));
}
