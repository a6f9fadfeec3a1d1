import { exec } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { PermanentFault } from "@holdfast/domain";
import { cutConsumers } from "@holdfast/messaging";
import type { Invocation, Outcome } from "../api/verb.ts";
import type { AgentDriver } from "./agent-driver.ts";
import { type Cases, readCases } from "./cases.ts";
import { driveAgent } from "./drive-agent.ts";
import { type ConformanceOptions, readConformanceOptions } from "./read-options.ts";
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
 * Throws if no instance takes requests. A user who may not ask for the queue learns of it only by its silence later.
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
