import { groupSummaries } from "./api/all-verbs.ts";
import { outputOptions, serviceOptions } from "./api/global-options.ts";
import type { OptionSpec, Verb } from "./api/verb.ts";
import { exitCodesText } from "./exit-codes.ts";

/** All commands, a line each, and what every one of them takes. */
export function usage(verbs: readonly Verb[]): string {
  const single = verbs.filter(({ name }) => !name.includes(" "));
  const rows = (isLocal: boolean) =>
    single
      .filter((verb) => (verb.isLocal ?? false) === isLocal)
      .map(({ name, operands, summary }) => [[name, ...operands].join(" "), summary] as const);
  return [
    "holdfast <command> [options]",
    "On this machine:",
    lines(rows(true)),
    "Through the HTTP API of a submission service:",
    lines([...Object.entries(groupSummaries), ...rows(false)]),
    "Each says more with --help: holdfast tasks --help, holdfast tasks submit --help.",
    `Options of those that ask a service:\n${optionLines(serviceOptions).join("\n")}`,
    `Options of every command:\n${optionLines(outputOptions).join("\n")}`,
    exitCodesText,
  ].join("\n\n");
}

/** The verbs of a group, a line each. */
export const groupHelp = (group: string, verbs: readonly Verb[]): string =>
  [
    `holdfast ${group} <verb> [options]`,
    `  ${groupSummaries[group] ?? ""}`,
    lines(verbs.map(({ name, operands, summary }) => [[name, ...operands].join(" "), summary])),
    `Each has its options in its own help, such as holdfast ${verbs[0]?.name} --help.`,
  ].join("\n\n");

/** What one verb does, takes and is good for. */
export function verbHelp(verb: Verb): string {
  const { name, operands, summary, details, options, examples = [], exits } = verb;
  const own = optionLines(options);
  return [
    `holdfast ${[name, ...operands].join(" ")} [options]`,
    `  ${summary}`,
    ...(details === undefined ? [] : [details.replaceAll(/^(?=.)/gm, "  ")]),
    ...(own.length === 0 ? [] : [own.join("\n")]),
    ...(examples.length === 0
      ? []
      : [["For example:", ...examples.map((line) => `  holdfast ${line}`)].join("\n")]),
    ...(exits === undefined ? [] : [`exit code: ${exits}`]),
    "Options of every command: see holdfast --help",
  ].join("\n\n");
}

/** Two columns. A first cell that is too wide for its column has a line of its own. */
function lines(rows: readonly (readonly [string, string])[]): string {
  const widest = 30;
  const lengths = rows.map(([head]) => head.length).filter((length) => length <= widest);
  const width = Math.max(0, ...lengths);
  return rows
    .map(([head, said]) =>
      head.length > width
        ? `  ${head}\n  ${" ".repeat(width)}  ${said}`
        : `  ${head.padEnd(width)}  ${said}`,
    )
    .join("\n");
}

const optionLines = (options: Readonly<Record<string, OptionSpec>>): readonly string[] => {
  const width = 34;
  return Object.entries(options).map(([name, { short, value, help }]) => {
    const names = `${short === undefined ? "    " : `-${short}, `}--${name}`;
    return `  ${`${names}${value === undefined ? "" : ` ${value}`}`.padEnd(width)} ${help}`;
  });
};
