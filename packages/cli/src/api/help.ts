import { globalOptions } from "./global-options.ts";
import type { OptionSpec, Verb } from "./verb.ts";

const exits = `exit code: 0 ok; 1 failed, or undone; 2 wrong use; 3 not found; 4 not ended in time; 5 refused;
           69 the service is not reachable; 78 the file of profiles is wrong`;

/** The verbs of a command, and what all of them take. */
export function groupHelp(group: string, verbs: readonly Verb[]): string {
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

export function verbHelp(verb: Verb): string {
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
