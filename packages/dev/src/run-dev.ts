import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorText, Fault } from "@holdfast/domain";
import { develop } from "./develop.ts";
import { Crash } from "./services/start-services.ts";

/** What `holdfast dev` was asked for. */
interface DevOptions {
  readonly fresh: boolean;
  /** Whether it takes servers that another installation has used. */
  readonly takesOver: boolean;
  /** The first port to try for the API. */
  readonly port: number;
}

interface DevContext {
  /** The command that runs `holdfast`. */
  readonly command: readonly string[];
  /**
   * Writes to people. Nothing in a text may command their terminal, for Agents and tasks have their
   * words in it.
   */
  readonly io: { out(text: string): void; err(text: string): void };
}

const [failed, wrongUse, unreachable] = [1, 2, 69];

/** Runs the project in the working directory until Ctrl-C. Resolves to the exit code. */
export async function runDev(options: DevOptions, { command, io }: DevContext): Promise<number> {
  const say = (line: string): void => io.out(`${line}\n`);
  const complain = (line: string): void => io.err(`${line}\n`);
  const folder = process.cwd();
  const fault = whyNotHere(folder, process.platform);
  if (fault !== null) {
    complain(fault);
    return wrongUse;
  }
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  // The terminal is gone.
  process.stdout.on("error", onSignal);
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  try {
    await develop({ ...options, folder, command, stop, say });
  } catch (error) {
    if (!stop.signal.aborted) {
      complain(sentenceOf(error));
      return isUnreachable(error) ? unreachable : failed;
    }
  }
  const reason: unknown = stop.signal.reason;
  if (!(reason instanceof Crash)) return 0;
  complain(reason.message);
  return failed;
}

/**
 * The error in one sentence; the servers' data folder was made for `npm start` of the repository
 * first.
 */
const sentenceOf = (error: unknown): string =>
  errorText(error).replace("npm start -- --fresh", "npx holdfast dev --fresh");

/** Whether a server that was given by its URL does not answer. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof Fault) return error.transient;
  const code = String((error as { readonly code?: unknown }).code);
  return ["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT", "EHOSTUNREACH"].includes(code);
}

/** Why it cannot run here, or there is nothing to run; null: it can. */
export function whyNotHere(folder: string, platform: NodeJS.Platform): string | null {
  if (platform === "win32") {
    return "holdfast dev does not run on Windows, which has neither its shell nor its signals: run it in WSL.";
  }
  if (!existsSync(join(folder, "workflows")) && !existsSync(join(folder, "agents"))) {
    return `There is no folder workflows/ or agents/ in ${folder}: make one, or start with npm create holdfast.`;
  }
  // Of 22.18 and newer it says how it runs TypeScript.
  if (typeof process.features.typescript !== "string") {
    return `Node ${process.versions.node} does not run TypeScript as it is: use Node 22.18 or newer.`;
  }
  const data = join(folder, ".holdfast");
  try {
    mkdirSync(data, { recursive: true });
    accessSync(data, constants.W_OK);
  } catch (error) {
    return `${data} cannot be written, where holdfast dev keeps its servers' data: ${(error as Error).message}.`;
  }
  return null;
}
