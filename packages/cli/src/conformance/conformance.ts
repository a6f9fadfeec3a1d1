import { exec } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { agentNamePattern } from "@holdfast/contracts";
import { PermanentFault, parseJsonText } from "@holdfast/domain";
import { cutConsumers } from "@holdfast/messaging";
import { UsageError } from "../api/usage-error.ts";
import type { Invocation, Outcome } from "../api/verb.ts";
import { settingFrom } from "../direct/settings.ts";
import type { AgentDriver } from "./agent-driver.ts";
import { type Cases, readCases } from "./cases.ts";
import { driveAgent } from "./drive-agent.ts";
import { noReply, type Rule, type RuleContext, skipped, type Verdict } from "./rule.ts";
import { messageRules } from "./rules/messages.ts";
import { replyRules } from "./rules/replies.ts";
import { lastRules, timeRules } from "./rules/time.ts";

const rules: readonly Rule[] = [...replyRules, ...messageRules, ...timeRules, ...lastRules];

/** Drives an Agent through the protocol, and says for each rule whether it holds. */
export async function conformance(invocation: Pick<Invocation, "text" | "io">): Promise<Outcome> {
  const options = readConformanceOptions(invocation);
  const cases = typeof options.cases === "string" ? await readCases(options.cases) : options.cases;
  await using driver = await driveAgent(options);
  await mustBeThere(driver);
  const context = contextOf(options, cases, driver);
  const found: (Verdict & { readonly rule: string })[] = [];
  for (const rule of rules) {
    const isSilent = found.some((one) => one.rule === "happy" && one.text.startsWith(noReply));
    const verdict = isSilent ? skipped("the Agent does not reply") : await rule.check(context);
    found.push({ rule: rule.name, ...verdict });
  }
  const isBroken = found.some(({ state }) => state === "broken");
  return {
    exitCode: isBroken ? 1 : 0,
    text: report(found),
    items: found,
    value: { agent: options.agent, conforms: !isBroken, rules: found },
  };
}

function contextOf(options: ConformanceOptions, cases: Cases, driver: AgentDriver): RuleContext {
  const { managementUrl, brokerUrl, agent } = options;
  return {
    driver,
    cases,
    countEffects: effectCounter(cases.effects),
    cutConnections:
      managementUrl === null
        ? null
        : () => cutConsumers({ url: managementUrl, brokerUrl, agent, user: driver.agentUser() }),
    stopAgent: agentStopper(options),
  };
}

/**
 * Throws if no instance takes requests. A user who may not ask for the queue learns of it only by
 * its silence later.
 */
async function mustBeThere(driver: AgentDriver): Promise<void> {
  const { agent } = driver;
  const queue = await driver.inspect();
  if (queue === null || queue.consumers > 0) return;
  throw new PermanentFault(
    "cli.agent_not_found",
    `No instance of ${agent} takes requests: start it, with this broker's URL, and try again.`,
  );
}

const signs = { holds: "✓", broken: "✗", skipped: "-" } as const;

function report(found: readonly (Verdict & { readonly rule: string })[]): string {
  const width = Math.max(...found.map(({ rule }) => rule.length));
  const count = (state: Verdict["state"]) => found.filter((one) => one.state === state).length;
  return [
    ...found.map(({ rule, state, text }) => `${signs[state]} ${rule.padEnd(width)}  ${text}`),
    "",
    `${found.length} rules: ${count("holds")} hold, ${count("broken")} broken, ${count("skipped")} skipped`,
  ].join("\n");
}

const run = promisify(exec);
/** Milliseconds. */
const endsWithin = 30_000;
const look = 50;

/** How the Agent is stopped, as the options say. */
function agentStopper({
  pid,
  stopCommand,
}: Pick<ConformanceOptions, "pid" | "stopCommand">): RuleContext["stopAgent"] {
  if (stopCommand !== null) {
    return () =>
      run(stopCommand, { timeout: endsWithin }).then(
        () => true,
        () => false,
      );
  }
  if (pid === null) return null;
  return async () => {
    process.kill(pid, "SIGTERM");
    for (const until = Date.now() + endsWithin; Date.now() < until; await sleep(look)) {
      if (!isRunning(pid)) return true;
    }
    return false;
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Counts effects with the command of the cases; null: there is none. */
const effectCounter =
  (command: string | undefined): RuleContext["countEffects"] =>
  async (key) => {
    if (command === undefined) return null;
    const { stdout } = await run(command, {
      env: { ...process.env, KEY: key },
      timeout: endsWithin,
    });
    return Number(stdout.trim());
  };

interface ConformanceOptions {
  readonly agent: string;
  /** The file of cases; or the one case that succeeds. */
  readonly cases: string | Pick<Cases, "happy">;
  readonly brokerUrl: string;
  /** The URL of the broker's HTTP API; null: it is not known. */
  readonly managementUrl: string | null;
  /** The process of the Agent, which is stopped by SIGTERM at the end. */
  readonly pid: number | null;
  /** Stops the Agent in order. */
  readonly stopCommand: string | null;
  /** Whether replies must carry the `user_id` that the broker vouches for. */
  readonly identity: "required" | "trusted";
}

/** Reads the options of `holdfast conformance`. Throws a `UsageError`. */
function readConformanceOptions({ text, io }: Pick<Invocation, "text" | "io">): ConformanceOptions {
  const agent = text("agent") ?? "";
  if (!new RegExp(agentNamePattern).test(agent)) {
    throw new UsageError("Say which Agent: --agent NAME");
  }
  const identity = text("reply-identity") ?? "required";
  if (identity !== "required" && identity !== "trusted") {
    throw new UsageError("--reply-identity is required or trusted");
  }
  return {
    agent,
    cases: casesOf(text),
    brokerUrl: urlOf(
      text("broker-url") ?? settingFrom(io.env, "BROKER_URL"),
      "--broker-url",
      /^amqps?:$/,
    ),
    managementUrl: optionalUrl(
      text("management-url") ?? settingFrom(io.env, "BROKER_MANAGEMENT_URL"),
    ),
    pid: pidOf(text("pid")),
    stopCommand: text("stop-command") ?? null,
    identity,
  };
}

function casesOf(text: Invocation["text"]): ConformanceOptions["cases"] {
  const cases = text("cases");
  if (cases !== undefined) return cases;
  const operation = text("operation") ?? "";
  if (operation === "") {
    throw new UsageError("Say what to ask it for: --cases FILE, or --operation NAME");
  }
  try {
    return { happy: { operation, input: parseJsonText(text("input") ?? "null") } };
  } catch {
    throw new UsageError("--input is no JSON");
  }
}

function pidOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const pid = Number(text);
  if (Number.isSafeInteger(pid) && pid > 1) return pid;
  throw new UsageError(`--pid is the number of a process, not ${text}`);
}

const optionalUrl = (text: string | null): string | null =>
  text === null || text === "" ? null : urlOf(text, "--management-url", /^https?:$/);

function urlOf(text: string | null, option: string, protocol: RegExp): string {
  const url = URL.parse(text ?? "");
  if (text !== null && url !== null && protocol.test(url.protocol)) return text;
  const example =
    option === "--broker-url"
      ? "amqp://user:password@host/vhost"
      : "http://user:password@host:15672";
  throw new UsageError(`Say where the broker is: ${option} ${example}`);
}
