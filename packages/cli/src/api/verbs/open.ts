import { spawn } from "node:child_process";
import { askedOf, serviceOf } from "../connection.ts";
import { own } from "../own-options.ts";
import { UsageError } from "../usage-error.ts";
import type { Invocation, Verb } from "../verb.ts";
import { taskOf } from "./diagnosis.ts";

/** Prints where the console shows a task, and opens it for a person. */
export const openVerb: Verb = {
  name: "open",
  operands: ["<task>"],
  operations: [],
  summary: "print where the console shows a task; on a terminal open it in a browser, too",
  options: own("console-url"),
  examples: ["open 01a1fd8d-d928-77c8-96cb-353aaba1757f"],
  async run(invocation) {
    const id = taskOf(invocation);
    const url = `${consoleOf(invocation).replace(/\/+$/, "")}/tasks/${id}`;
    if (invocation.io.isOutputTerminal && invocation.output === "table") openInBrowser(url);
    return { value: { id, url }, text: url };
  },
};

function consoleOf({ text, io }: Invocation): string {
  const given = text("console-url") ?? (io.env["HOLDFAST_CONSOLE_URL"] || undefined);
  if (given === undefined) return new URL("/console", serviceOf(askedOf(text), io).url).href;
  if (URL.canParse(given) && /^https?:/.test(given)) return given;
  throw new UsageError(
    `${given} is no URL of a console: write it as http://127.0.0.1:3000/console`,
  );
}

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "open",
  win32: "explorer",
};

/** Opens a page. It may fail: the URL that was printed is enough without a browser. */
function openInBrowser(url: string): void {
  const browser = spawn(openers[process.platform] ?? "xdg-open", [url], {
    stdio: "ignore",
    detached: true,
  });
  browser.on("error", () => {});
  browser.unref();
}
