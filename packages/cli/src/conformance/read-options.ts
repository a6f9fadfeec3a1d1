import { agentNamePattern } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { UsageError } from "../api/usage-error.ts";
import type { Invocation } from "../api/verb.ts";
import { settingFrom } from "../direct/settings.ts";
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
}

/** Reads the options of `holdfast conformance`. Throws a `UsageError`. */
export function readConformanceOptions({
  text,
  io,
}: Pick<Invocation, "text" | "io">): ConformanceOptions {
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
    return { happy: { operation, input: JSON.parse(text("input") ?? "null") as Json } };
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
