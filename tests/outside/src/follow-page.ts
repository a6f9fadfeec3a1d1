import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { outsideEnvironment } from "./install-packages.ts";
import { openTerminal, type Terminal } from "./open-terminal.ts";
import { processesLeft, runVariable } from "./processes-left.ts";
import { type Instruction, readPage } from "./read-page.ts";
import { runProgram } from "./run-program.ts";

/** What it took to follow the page. */
export interface PageFigures {
  /** Milliseconds from the first command to the first result, with an empty cache of packages. */
  readonly coldMs: number;
  /** Milliseconds from `npx holdfast dev` to the first result, when the project has run before. */
  readonly warmMs: number;
  /** Milliseconds from the save of a workflow to its new version. */
  readonly editMs: number;
  /** Processes that live on after Ctrl-C. */
  readonly processesLeft: number;
}

interface Options {
  /** An empty folder that is not in the repository. */
  readonly folder: string;
  readonly registryUrl: string;
  readonly say?: (line: string) => void;
}

const page = "docs/get-started/your-workflow.md";
const ready = /^keys:/m;

/** What the terminal must show after a key, by the page. */
const shownAfter: Readonly<Record<string, RegExp>> = {
  s: /^\S+ processed \{"sent":.*\n {2}subscribe +processed.*\n( .*\n)* {2}greet +processed/m,
  d: /^\S+ undone mail\.declined/m,
  k: /kill -9 of the Agent mail[^]*^\S+ processed/m,
  w: /processed/,
  t: /^clock \+ 1 h: for the store it is \S+Z, 1 h ahead/m,
};
/** What it must show after each change, in the order of the page. */
const shownAfterEdit = [
  /^welcome is now welcome\.v[0-9]+/m,
  /^workflows\/welcome\.ts:[0-9]+: .* The last good definition stays\./m,
];

/**
 * Does what the page says, in a folder of its own, and takes the time. Throws what is not as the
 * page says.
 */
export async function followPage({
  folder,
  registryUrl,
  say = () => {},
}: Options): Promise<PageFigures> {
  mkdirSync(folder, { recursive: true });
  const run = randomUUID();
  const env = {
    ...outsideEnvironment(registryUrl),
    [runVariable]: run,
    npm_config_cache: join(folder, ".npm-cache"),
  };
  const instructions = readPage(page);
  await using reader = pageReader({ folder, env, say }, run);
  for (const instruction of instructions) await reader.follow(instruction);
  const { coldMs, editMs, project, devCommand } = reader.figures();
  const warmMs = await startAgain(devCommand, { folder: project, env });
  const left = reader.left() + countLeft(run, say);
  return { coldMs, warmMs, editMs, processesLeft: left };
}

function countLeft(run: string, say: (line: string) => void): number {
  const living = processesLeft(run);
  for (const one of living) say(`still there: ${one}`);
  return living.length;
}

interface ReaderOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
}

/** A user who follows a page at a terminal. */
function pageReader({ folder, env, say }: ReaderOptions, run: string) {
  const from = performance.now();
  let place = folder;
  let terminal: Terminal | null = null;
  let devCommand = "";
  let [coldMs, editMs, edits, left] = [0, 0, 0, 0];
  const there = (): Terminal => {
    if (terminal === null) throw new Error("The page presses a key before anything runs.");
    return terminal;
  };
  const type = async (command: string): Promise<void> => {
    const [, target] = /^cd (\S+)$/.exec(command) ?? [];
    if (target !== undefined) {
      place = resolve(place, target);
    } else if (command.startsWith("npx holdfast dev")) {
      devCommand = command;
      terminal = openTerminal(command, { folder: place, env });
      await terminal.seen(ready);
    } else {
      await runCommand(command, { folder: place, env, shown: terminal?.text ?? "" });
    }
  };
  const press = async (key: string): Promise<void> => {
    await pressKey(there(), key);
    if (coldMs === 0) coldMs = Math.round(performance.now() - from);
    if (key === "s" && edits > 0) await there().seen(/"list":"news"/);
  };
  const edit = async (change: Extract<Instruction, { kind: "edit" }>): Promise<void> => {
    const file = join(place, change.file);
    const before = readFileSync(file, "utf8");
    if (!before.includes(change.from)) throw new Error(`${file} has no line ${change.from}`);
    there().forget();
    const at = performance.now();
    writeFileSync(file, before.replace(change.from, change.to));
    const expected = shownAfterEdit[edits];
    if (expected !== undefined) await there().seen(expected);
    if (edits === 0) editMs = Math.round(performance.now() - at);
    edits += 1;
  };
  const stop = async (): Promise<void> => {
    const code = await there().interrupt();
    if (code !== 0) throw new Error(`holdfast dev ended with ${code}:\n${there().text}`);
    left = countLeft(run, say);
  };
  return {
    async follow(instruction: Instruction): Promise<void> {
      say(JSON.stringify(instruction));
      if (instruction.kind === "command") await type(instruction.command);
      if (instruction.kind === "key") await press(instruction.key);
      if (instruction.kind === "edit") await edit(instruction);
      if (instruction.kind === "stop") await stop();
    },
    figures: () => ({ coldMs, editMs, project: place, devCommand }),
    left: () => left,
    async [Symbol.asyncDispose]() {
      await terminal?.[Symbol.asyncDispose]();
    },
  };
}

/** Runs the project once more, and resolves to the time until the first result. */
async function startAgain(
  command: string,
  options: Pick<ReaderOptions, "folder" | "env">,
): Promise<number> {
  const from = performance.now();
  await using terminal = openTerminal(command, options);
  await terminal.seen(ready);
  terminal.press("s");
  await terminal.seen(/^\S+ processed/m);
  const ms = Math.round(performance.now() - from);
  await terminal.interrupt();
  return ms;
}

async function pressKey(terminal: Terminal, key: string): Promise<void> {
  terminal.forget();
  terminal.press(key);
  await terminal.seen(shownAfter[key] ?? /./);
}

/**
 * Runs a command that ends. If another program has the usual port, the command gets the port that
 * the API has.
 */
async function runCommand(
  command: string,
  { folder, env, shown }: Pick<ReaderOptions, "folder" | "env"> & { readonly shown: string },
): Promise<void> {
  const [, api = ""] = /API +(\S+)/.exec(shown) ?? [];
  const local = command.replace("http://127.0.0.1:3000", api);
  const strict = local.replace(/^curl /, "curl --fail-with-body --silent ");
  await runProgram("bash", ["-c", strict], { folder, env });
}
