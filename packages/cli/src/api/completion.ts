import { optionsOf } from "./global-options.ts";
import type { Verb } from "./verb.ts";

export const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** A script that completes commands, verbs and options, and asks the service for names and ids. */
export function completionScript(shell: Shell, verbs: readonly Verb[]): string {
  return shell === "fish" ? fish(verbs) : `${shell === "zsh" ? zshHead : ""}${bash(verbs)}`;
}

const zshHead = "autoload -U +X bashcompinit && bashcompinit\n";

/** The first words of all commands. */
const commandsOf = (verbs: readonly Verb[]): readonly string[] => [
  ...new Set([...verbs.map(({ name }) => name.split(" ")[0] ?? ""), "help"]),
];

const groupsOf = (verbs: readonly Verb[]): readonly string[] =>
  commandsOf(verbs.filter(({ name }) => name.includes(" "))).filter((name) => name !== "help");

const verbsOf = (verbs: readonly Verb[], group: string): readonly string[] =>
  verbs.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));

const optionNames = (verb: Verb): readonly string[] =>
  Object.keys(optionsOf(verb)).map((name) => `--${name}`);

/** What names and ids look like that mean nothing to a shell. */
const plainNames = "[A-Za-z0-9][A-Za-z0-9._:@-]*";

/** The command that lists what the first operand of a verb can be; null: none does. */
function listFor({ name, operands }: Verb, verbs: readonly Verb[]): string | null {
  const [operand = ""] = operands;
  if (!/^[<[](?:id|name|profile|task|workflow)\b/.test(operand)) return null;
  const [group = ""] = name.split(" ");
  const plural = `${operand.replace(/\W/g, "")}s list`;
  return [plural, `${group} list`].find((list) => verbs.some((one) => one.name === list)) ?? null;
}

/** Verbs with what lists their first operand. */
const listsOf = (verbs: readonly Verb[]): readonly (readonly [verb: string, list: string])[] =>
  verbs.flatMap((verb) => {
    const list = listFor(verb, verbs);
    return list === null ? [] : [[verb.name, list] as const];
  });

function bash(verbs: readonly Verb[]): string {
  const groups = groupsOf(verbs);
  const cases = [
    ...groups.map((group) => `    "${group}") words="${verbsOf(verbs, group).join(" ")}" ;;`),
    ...listsOf(verbs).map(([verb, list]) => `    "${verb}") words="$(_holdfast_names ${list})" ;;`),
  ];
  const options = verbs.map(
    (verb) =>
      `    "${verb.name}"${verb.name.includes(" ") ? "" : "\\ *"}) words="${optionNames(verb).join(" ")}" ;;`,
  );
  const choices = [
    ...new Map(
      verbs.flatMap((verb) =>
        Object.entries(optionsOf(verb)).flatMap(([name, { choices: some = [] }]) =>
          some.length === 0 ? [] : [[name, some] as const],
        ),
      ),
    ),
  ].map(
    ([name, some]) =>
      `    --${name}) COMPREPLY=($(compgen -W "${some.join(" ")}" -- "$word")); return ;;`,
  );
  // The service may be away: no key waits for it for long, where there is `timeout`. And bash
  // expands the words that it completes, as commands, too: of what a service answers plain names
  // alone may be among them.
  return `_holdfast_names() {
  local within=()
  command -v timeout >/dev/null && within=(timeout 2)
  "\${within[@]}" holdfast "$@" -o id 2>/dev/null | LC_ALL=C grep -xE '${plainNames}'
}
_holdfast() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$before" in
${choices.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commandsOf(verbs).join(" ")}"
  elif [[ "$word" == -* ]]; then case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${options.join("\n")}
  esac
  else case "\${COMP_WORDS[*]:1:COMP_CWORD-1}" in
${cases.join("\n")}
  esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _holdfast holdfast
`;
}

const line = (condition: string, rest: string) => `complete -c holdfast -n '${condition}' ${rest}`;

const fishNames = `function __holdfast_names
  set -l within
  command -q timeout; and set within timeout 2
  $within holdfast $argv -o id 2>/dev/null | LC_ALL=C grep -xE '${plainNames}'
end`;

function fish(verbs: readonly Verb[]): string {
  const first = commandsOf(verbs).map((name) => line("__fish_use_subcommand", `-f -a ${name}`));
  const second = verbs.flatMap(({ name, summary }) => {
    const [group, verb] = name.split(" ");
    if (verb === undefined) return [];
    const others = verbsOf(verbs, group ?? "").join(" ");
    const condition = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${others}`;
    return [line(condition, `-f -a ${verb} -d '${summary.replaceAll("'", "")}'`)];
  });
  const options = verbs.flatMap((one) => {
    const [group, verb] = one.name.split(" ");
    const condition = `__fish_seen_subcommand_from ${group}${verb === undefined ? "" : `; and __fish_seen_subcommand_from ${verb}`}`;
    return Object.entries(optionsOf(one)).map(([option, { type, help, choices = [] }]) => {
      const value = type === "string" ? " -r" : "";
      const offered = choices.length === 0 ? "" : ` -f -a '${choices.join(" ")}'`;
      return line(condition, `-l ${option}${value}${offered} -d '${help.replaceAll("'", "")}'`);
    });
  });
  const third = listsOf(verbs).map(([name, list]) => {
    const seen = name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    return line(seen.join("; and "), `-f -a '(__holdfast_names ${list})'`);
  });
  return `${[fishNames, ...first, ...second, ...third, ...options].join("\n")}\n`;
}
