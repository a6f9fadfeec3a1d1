import { holdfastOutput } from "@holdfast/test-servers";
import { load } from "./load.ts";

interface Table {
  readonly allVerbs: readonly { readonly name: string }[];
  readonly commands: readonly string[];
}

/** The usage of the command line, and the help of each group and of each verb. */
export async function cliPage(): Promise<string> {
  const module: unknown = await load("packages/cli/src/api/all-verbs.ts");
  const { allVerbs, commands } = module as Table;
  const names = commands.flatMap((command) => [
    command,
    ...allVerbs.flatMap(({ name }) => (name.startsWith(`${command} `) ? [name] : [])),
  ]);
  const texts = [await holdfastOutput("--help")];
  for (const name of names) texts.push(await holdfastOutput(...name.split(" "), "--help"));
  return texts.map((text) => `\`\`\`\n${text.trim()}\n\`\`\``).join("\n\n");
}
