import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "@holdfast/processes";
import { afterAll, describe, expect, test } from "@jest/globals";
import { openAgentBroker } from "./agent-broker.ts";
import { type Badness, startBadAgent } from "./bad-agent.ts";
import { allHold, holdfast, runConformance } from "./run-conformance.ts";

// Before any test: those that run at the same time do not wait for hooks.
const folder = await mkdtemp(join(tmpdir(), "holdfast-conformance-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const badgeCases = new URL("../../examples/languages/python/cases.json", import.meta.url).pathname;

test.concurrent("an Agent with the SDK conforms, also when its connection is cut and when it is stopped", async () => {
  await using broker = await openAgentBroker(["badges"]);
  await using agent = await startService({
    service: "tests/languages/sdk-agent.ts",
    env: {
      BROKER_URL: broker.urlOf("badges"),
      BROKER_TOPOLOGY: "passive",
      SCHEDULER_USERS: broker.tester.name,
      BADGES: folder,
      HEALTH_PORT: "0",
    },
  });
  const { exitCode, states, texts } = await runConformance(broker, [
    "--agent=badges",
    `--cases=${badgeCases}`,
    `--pid=${agent.pid}`,
    `--management-url=${broker.managementUrl}`,
  ]);
  expect({ states, texts }).toEqual({ states: allHold, texts });
  expect(exitCode).toBe(0);
  expect(texts["cancel"]).toMatch(/^stopped after/);
});

describe("a bad Agent", () => {
  const cases = join(folder, "cases.json");
  const happy = { operation: "work", input: {} };
  const slow = { operation: "work", input: { slow: true }, takesMs: 1_000 };
  writeFileSync(cases, JSON.stringify({ happy, slow }));

  const brokenBy = async (badness: Badness) => {
    await using broker = await openAgentBroker(["worker"]);
    await using _agent = await startBadAgent(broker.urlOf("worker"), "worker", badness);
    const found = await runConformance(broker, ["--agent=worker", `--cases=${cases}`]);
    const broken = Object.keys(found.states).filter((rule) => found.states[rule] === "broken");
    return { ...found, broken };
  };

  test.concurrent("that is not bad breaks no rule, and rules without a case are skipped", async () => {
    const { broken, states, exitCode } = await brokenBy("none");
    expect({ broken, exitCode }).toEqual({ broken: [], exitCode: 0 });
    const skipped = Object.keys(states).filter((rule) => states[rule] === "skipped");
    expect(skipped).toEqual(["permanent", "transient", "undo", "redelivery", "shutdown"]);
  });

  test.concurrent("can be asked for one operation without a file", async () => {
    await using broker = await openAgentBroker(["worker"]);
    await using _agent = await startBadAgent(broker.urlOf("worker"), "worker", "none");
    const found = await runConformance(broker, [
      "--agent=worker",
      "--operation=work",
      "--input={}",
    ]);
    expect(found.states).toMatchObject({ happy: "holds", duplicate: "holds", deadline: "skipped" });
    expect(found.exitCode).toBe(0);
  });

  const everything = ["happy", "malformed", "oversized", "duplicate"];
  test.concurrent.each([
    ["replies twice", "happy", /2 replies to one request differ/],
    ["replies late", "deadline", /replied \d+ ms after the deadline/],
    ["forgets the key", "duplicate", /differ/],
    ["names no user", "happy", /it has no user_id/],
    ["has a wrong token", "happy", /token is not that of the request/],
    ["is nearly right", "happy", /: \/outcome\/kind must be one of "completed", "failed"/],
    ["carries out everything", "unknown operation", /completed instead of a permanent failure/],
    ["is silent", "happy", /no reply within/],
  ] as const)("that %s breaks the rule %s", async (badness, rule, text) => {
    const { broken, texts, exitCode } = await brokenBy(badness);
    expect(broken).toContain(rule);
    expect(texts[rule]).toMatch(text);
    expect(exitCode).toBe(1);
    const only = ["replies late", "forgets the key", "carries out everything"].includes(badness);
    if (only) expect(broken.filter((one) => everything.includes(one) && one !== rule)).toEqual([]);
  });

  test.concurrent("that is not there is said to be missing, with the exit code 3", async () => {
    await using broker = await openAgentBroker([]);
    const servers = ["--broker-url", broker.tester.url];
    const { exitCode, stderr } = await holdfast([
      "conformance",
      "--agent=missing",
      `--cases=${cases}`,
      ...servers,
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: expect.stringMatching(/^There is no queue agent.missing: start the Agent.*\n$/),
    });
  });
});

test.each([
  [[], "Say which Agent: --agent NAME"],
  [["--agent", "badges"], "Say what to ask it for: --cases FILE"],
  [["--agent", "badges", "--operation", "print", "--input", "{"], "--input is no JSON"],
  [["--agent", "badges", "--cases", "x", "--pid", "me"], "Say where the broker is"],
  [["--agent", "badges", "--cases", "missing.json", "--broker-url", "amqp://x"], "holds no cases"],
  [["--colour"], "--colour"],
])("wrong use %j is answered by what to say, and the exit code 2", async (args, words) => {
  const { exitCode, stderr, stdout } = await holdfast(["conformance", ...args]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(words);
  expect(stderr).not.toContain("    at ");
});

test("a broker that does not answer is named, with the exit code 69", async () => {
  const url = "amqp://user:secret@127.0.0.1:1/x";
  const { exitCode, stderr } = await holdfast([
    "conformance",
    "--agent=badges",
    `--cases=${badgeCases}`,
    "--broker-url",
    url,
  ]);
  expect(exitCode).toBe(69);
  expect(stderr).toContain("127.0.0.1:1 cannot be reached");
  expect(stderr).not.toContain("secret");
});
