import { agentNamePattern } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { readArguments, usageFault } from "../read-arguments.ts";
import { settingFrom } from "../settings.ts";
import type { Cases } from "./cases.ts";

export interface ConformanceOptions {
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
  readonly json: boolean;
}

export const conformanceUsage = `holdfast conformance --agent NAME --cases FILE|--operation NAME [options]

Asks a running Agent for steps as a Scheduler does, and prints a line for each rule of the protocol.
Use a broker for tests: Schedulers of the same virtual host record the replies as rejected.

  --agent NAME             the Agent: its queue is agent.NAME
  --cases FILE             JSON: which operation and input succeed, fail and take a while
  --operation NAME         in place of a file: an operation that succeeds, with the JSON of
  --input JSON             its input; rules that need other cases are skipped
  --broker-url URL         instead of BROKER_URL; the Agent must take requests of its user
  --management-url URL     instead of BROKER_MANAGEMENT_URL: cuts the Agent's connection for the rule redelivery
  --pid N                  the Agent's process: it gets SIGTERM for the rule shutdown
  --stop-command COMMAND   stops the Agent in order, instead of --pid
  --reply-identity HOW     required or trusted, as REPLY_IDENTITY of your Schedulers
  --json                   for machines

A URL with a password belongs in a file, which BROKER_URL_FILE or BROKER_MANAGEMENT_URL_FILE names.

exit code: 0 all rules hold; 1 a rule is broken; 2 wrong use; 3 the Agent is not there;
5 the broker refuses this user; 69 the broker does not answer`;

/** Reads the command line of `holdfast conformance`. Null: asked for help. Throws `cli.usage`. */
export function readConformanceOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ConformanceOptions | null {
  const values = parse(args);
  if (values.help) return null;
  const { agent = "", pid, "stop-command": stopCommand = null } = values;
  if (!new RegExp(agentNamePattern).test(agent)) {
    throw usageFault("Say which Agent: --agent NAME");
  }
  const identity = values["reply-identity"];
  if (identity !== "required" && identity !== "trusted") {
    throw usageFault("--reply-identity is required or trusted");
  }
  return {
    agent,
    cases: casesOf(values),
    brokerUrl: urlOf(
      values["broker-url"] ?? settingFrom(env, "BROKER_URL"),
      "--broker-url",
      /^amqps?:$/,
    ),
    managementUrl: optionalUrl(
      values["management-url"] ?? settingFrom(env, "BROKER_MANAGEMENT_URL"),
    ),
    pid: pidOf(pid),
    stopCommand,
    identity,
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  return readArguments({
    args: [...args],
    options: {
      agent: { type: "string" },
      cases: { type: "string" },
      operation: { type: "string" },
      input: { type: "string", default: "null" },
      "broker-url": { type: "string" },
      "management-url": { type: "string" },
      pid: { type: "string" },
      "stop-command": { type: "string" },
      "reply-identity": { type: "string", default: "required" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false, short: "h" },
    },
  }).values;
}

function casesOf({
  cases,
  operation,
  input,
}: ReturnType<typeof parse>): ConformanceOptions["cases"] {
  if (cases !== undefined) return cases;
  if (operation === undefined || operation === "") {
    throw usageFault("Say what to ask it for: --cases FILE, or --operation NAME");
  }
  try {
    return { happy: { operation, input: JSON.parse(input) as Json } };
  } catch {
    throw usageFault("--input is no JSON");
  }
}

function pidOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const pid = Number(text);
  if (Number.isSafeInteger(pid) && pid > 1) return pid;
  throw usageFault(`--pid is the number of a process, not ${text}`);
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
  throw usageFault(`Say where the broker is: ${option} ${example}`);
}
