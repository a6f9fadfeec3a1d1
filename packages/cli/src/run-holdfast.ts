import { parseArgs } from "node:util";
import { distanceText, meantName } from "@holdfast/domain";
import { allVerbs, commands } from "./api/all-verbs.ts";
import { askedOf, connect } from "./api/connection.ts";
import { errorObject, errorText } from "./api/describe-error.ts";
import { optionsOf } from "./api/global-options.ts";
import { print } from "./api/print.ts";
import { UsageError } from "./api/usage-error.ts";
import { actorOf } from "./api/values.ts";
import { type Invocation, type Io, type Output, outputs, type Verb } from "./api/verb.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { groupHelp, usage, verbHelp } from "./help.ts";
import { useProxiesOf } from "./proxies.ts";

/** Does what the arguments of `holdfast` say; resolves to the exit code. Throws never. */
export async function runHoldfast(args: readonly string[], io: Io): Promise<number> {
  // Also where the arguments cannot be read.
  let output: Output = args.includes("--json") ? "json" : "table";
  try {
    const found = find(args);
    if (typeof found === "string") return show(found, io);
    const { verb, rest } = found;
    const parsed = parse(verb, rest);
    output = outputOf(parsed.values, output);
    if (parsed.values["help"] === true) return show(verbHelp(verb), io);
    mustFit(verb, parsed.positionals);
    // What a service asks, and an Agent that it runs, is for its own settings to say.
    if (verb.name !== "start") useProxiesOf(io.env);
    const invocation = invocationOf(parsed, { io, output });
    const outcome = await verb.run(invocation);
    io.out(print(outcome, output, invocation.at));
    return outcome.exitCode ?? exitCodes.ok;
  } catch (error) {
    io.err(
      output === "table" || output === "id"
        ? `${await errorText(error)}\n`
        : `${JSON.stringify(await errorObject(error))}\n`,
    );
    return exitCodeOf(error);
  }
}

function show(text: string, io: Io): number {
  io.out(`${text}\n`);
  return exitCodes.ok;
}

type Found = { readonly verb: Verb; readonly rest: readonly string[] };
const isHelp = (word: string): boolean => word === "--help" || word === "-h" || word === "help";

/** The verb that is meant, or a help. */
function find(args: readonly string[]): Found | string {
  // It wins over whatever command was named.
  if (args.includes("--version")) return find(["version"]);
  const [first = "help", ...rest] = args;
  if (isHelp(first)) return rest.length === 0 ? usage(allVerbs) : find([...rest, "--help"]);
  const single = allVerbs.find((verb) => verb.name === first);
  if (single !== undefined) return { verb: single, rest };
  if (commands.includes(first)) return findInGroup(first, rest);
  throw unknown(`command ${first}`, { name: first, known: commands, help: "holdfast --help" });
}

function findInGroup(group: string, [name = "", ...rest]: readonly string[]): Found | string {
  const verbs = allVerbs.filter((verb) => verb.name.startsWith(`${group} `));
  const verb = verbs.find((one) => one.name === `${group} ${name}`);
  if (verb !== undefined) return { verb, rest };
  if (isHelp(name)) return groupHelp(group, verbs);
  const known = verbs.map((one) => one.name.slice(group.length + 1));
  if (name === "" || name.startsWith("-")) {
    throw new UsageError(`Say what to do: holdfast ${group} ${known.join(", ")}`);
  }
  throw unknown(`verb ${group} ${name}`, { name, known, help: `holdfast ${group} --help` });
}

function unknown(
  what: string,
  {
    name,
    known,
    help,
  }: Readonly<Record<"name" | "help", string>> & { readonly known: readonly string[] },
): UsageError {
  const meant = meantName(name, known);
  return new UsageError(
    `Unknown ${what}.${meant === null ? "" : ` Did you mean ${meant}?`} See ${help}`,
  );
}

type Values = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

function parse(verb: Verb, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(optionsOf(verb)).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short === undefined ? {} : { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return { values: values as Values, positionals };
  } catch (error) {
    throw refused(error as Error, { verb, known: Object.keys(options) });
  }
}

/** What is wrong with the options, in one line. */
function refused(
  { message }: Error,
  { verb, known }: { readonly verb: Verb; readonly known: readonly string[] },
): UsageError {
  const name = /^Unknown option '--([^']*)'/.exec(message)?.[1];
  const help = `holdfast ${verb.name} --help`;
  if (name === undefined) return new UsageError(`${message.split(". ")[0]}: see ${help}`);
  const dashed = known.map((one) => `--${one}`);
  return unknown(`option --${name}`, { name: `--${name}`, known: dashed, help });
}

function outputOf({ json, output }: Values, otherwise: Output): Output {
  if (output === undefined) return json === true ? "json" : otherwise;
  const known = outputs.find((one) => one === output);
  if (known === undefined)
    throw new UsageError(`--output ${String(output)} must be one of ${outputs.join(", ")}`);
  return known;
}

/** Throws for operands that are missing, or too many. */
function mustFit({ name, operands }: Verb, given: readonly string[]): void {
  const least = operands.filter((one) => one.startsWith("<")).length;
  const isOpen = operands.some((one) => one.includes("..."));
  if (given.length >= least && (isOpen || given.length <= operands.length)) return;
  throw new UsageError(`Write it as: holdfast ${[name, ...operands].join(" ")}`);
}

function invocationOf(
  { values, positionals: operands }: ReturnType<typeof parse>,
  { io, output }: { readonly io: Io; readonly output: Output },
): Invocation {
  const text = (option: string) => {
    const value = values[option];
    return typeof value === "string" ? value : undefined;
  };
  const actor = actorOf(text("actor"), io.env);
  return {
    operands,
    io,
    output,
    actor,
    text,
    texts: (option) => [values[option] ?? []].flat().map(String),
    flag: (option) => values[option] === true,
    client: () => connect(askedOf(text), io, actor),
    at: (instant) => (io.isOutputTerminal ? distanceTextOf(instant) : instant),
  };
}

const distanceTextOf = (instant: string): string => distanceText(Date.parse(instant), Date.now());
