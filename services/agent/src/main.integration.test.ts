import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const folder = fileURLToPath(new URL("../test/", import.meta.url));

interface Ended {
  readonly code: unknown;
  readonly stderr: string;
}

/** Runs the host as a process that is expected to end at its start. */
function run(env: Readonly<Record<string, string>>): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const node = ["--conditions=@holdfast/source", "--disable-warning=ExperimentalWarning"];
  const all = { PATH: process.env["PATH"], BROKER_URL: "amqp://127.0.0.1:1", ...env };
  execFile(process.execPath, [...node, main], { cwd: folder, env: all }, (error, _, stderr) =>
    resolve({ code: error?.code ?? 0, stderr }),
  );
  return promise;
}

test.each([
  ["no module is named", {}, "AGENT_MODULES is missing: set it to paths"],
  [
    "a module cannot be loaded",
    { AGENT_MODULES: "./absent.ts" },
    "AGENT_MODULES: ./absent.ts cannot be loaded",
  ],
  [
    "the contract of one of its Agents is refused",
    { AGENT_MODULES: "./refused.ts" },
    'AGENT_MODULES: ./refused.ts cannot be loaded: refused.ts:13: Agent diary: operation "note", input/when: a Date',
  ],
  ["a module exports no Agent", { AGENT_MODULES: "./no-agent.ts" }, "exports no Agent"],
  [
    "two Agents have one name",
    { AGENT_MODULES: "./greetings.ts,./greetings.ts", FAREWELL: "bye" },
    "Two Agents are named farewells",
  ],
])(
  "the Agent service ends with exit code 78 and one sentence when %s",
  async (_, env, sentence) => {
    const { code, stderr } = await run(env);
    expect(code).toBe(78);
    const lines = stderr.trim().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe("The configuration is wrong:");
    expect(lines[1]).toContain(sentence);
  },
);

test("an Agent service whose module waits at its top level says which one, and ends soon when it is asked to", async () => {
  const node = ["--conditions=@holdfast/source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...node, main], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      BROKER_URL: "amqp://127.0.0.1:1",
      AGENT_MODULES: "./greetings.ts,./waiting.ts",
      FAREWELL: "bye",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const ended = once(child, "exit");
    for await (const line of createInterface({ input: child.stdout })) {
      const { msg, level, module } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (msg !== "agent module waits at its top level") continue;
      expect({ level, module }).toEqual({ level: 40, module: "./waiting.ts" });
      break;
    }
    const asked = performance.now();
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - asked).toBeLessThan(5_000);
  } finally {
    child.kill("SIGKILL");
  }
}, 120_000);
