import { parseArgs } from "node:util";
import { exitCodes } from "../exit-codes.ts";
import { allVerbs, groups } from "./all-verbs.ts";
import { askedOf, connect } from "./connection.ts";
import { errorObject, errorText, exitCodeOf } from "./describe-error.ts";
import { globalOptions } from "./global-options.ts";
import { print } from "./print.ts";
import { UsageError } from "./usage-error.ts";
import { actorOf } from "./values.ts";
import {
  type Invocation,
  type Io,
  type OptionSpec,
  type Output,
  outputs,
  type Verb,
} from "./verb.ts";

/** Whether these arguments are for a verb of the API. */
export const isVerb = ([command]: readonly string[]): boolean =>
  command !== undefined && groups.includes(command);

/** Does what the arguments say; resolves to the exit code. Throws never. */
export async function runVerb(args: readonly string[], io: Io): Promise<number> {
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
    const invocation = invocationOf(parsed, { io, output });
    const outcome = await verb.run(invocation);
    io.out(print(outcome, output));
    return outcome.exitCode ?? exitCodes.ok;
  } catch (error) {
    io.err(
      output === "table" || output === "id"
        ? `${errorText(error)}\n`
        : `${JSON.stringify(errorObject(error))}\n`,
    );
    return exitCodeOf(error);
  }
}

function show(text: string, io: Io): number {
  io.out(`${text}\n`);
  return exitCodes.ok;
}

/** The verb that is meant, or the help of its command. */
function find(
  args: readonly string[],
): { readonly verb: Verb; readonly rest: readonly string[] } | string {
  const [group = "", name = "", ...more] = args;
  const single = allVerbs.find((verb) => verb.name === group);
  if (single !== undefined) return { verb: single, rest: args.slice(1) };
  const ofGroup = allVerbs.filter((verb) => verb.name.startsWith(`${group} `));
  const verb = ofGroup.find((one) => one.name === `${group} ${name}`);
  if (verb !== undefined) return { verb, rest: more };
  if (name === "--help" || name === "-h" || name === "help") return groupHelp(group, ofGroup);
  const known = ofGroup.map((one) => one.name.slice(group.length + 1)).join(", ");
  throw new UsageError(
    name === "" || name.startsWith("-")
      ? `Say what to do: holdfast ${group} ${known}`
      : `There is no holdfast ${group} ${name}, but: ${known}`,
  );
}

type Values = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

function parse(verb: Verb, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...verb.options, ...globalOptions }).map(
      ([name, { type, short, multiple = false }]: [string, Verb["options"][string]]) => [
        name,
        { type, multiple, ...(short === undefined ? {} : { short }) },
      ],
    ),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return { values: values as Values, positionals };
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message.split(". ")[0]}: see holdfast ${verb.name} --help`,
    );
  }
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
  };
}

const exits = `exit code: 0 ok; 1 failed, or undone; 2 wrong use; 3 not found; 4 not ended in time; 5 refused;
           69 the service is not reachable; 78 the file of profiles is wrong`;

/** The verbs of a command, and what all of them take. */
function groupHelp(group: string, verbs: readonly Verb[]): string {
  const rows = verbs.map(
    ({ name, operands, summary }) => [[name, ...operands].join(" "), summary] as const,
  );
  return [
    `holdfast ${group} <verb> [options]`,
    ...verbs.flatMap((verb, at) => [
      [`  ${rows[at]?.[0]}`, `      ${verb.summary}`, ...optionLines(verb.options)].join("\n"),
    ]),
    `every verb:\n${optionLines(globalOptions).join("\n")}`,
    exits,
  ].join("\n\n");
}

function verbHelp(verb: Verb): string {
  const { name, operands, summary, options } = verb;
  const own = optionLines(options);
  return [
    `holdfast ${[name, ...operands].join(" ")} [options]`,
    `  ${summary}`,
    [...own, ...(own.length === 0 ? [] : [""]), ...optionLines(globalOptions)].join("\n"),
    exits,
  ].join("\n\n");
}

const width = 34;

const optionLines = (options: Readonly<Record<string, OptionSpec>>): readonly string[] =>
  Object.entries(options).map(([name, { short, value, help }]) => {
    const names = `${short === undefined ? "    " : `-${short}, `}--${name}`;
    return `      ${`${names}${value === undefined ? "" : ` ${value}`}`.padEnd(width)} ${help}`;
  });
