import { holdfastOutput } from "@holdfast/test-servers";

/** The usage text of the command line, and of each command that has one of its own. */
export async function cliPage(): Promise<string> {
  const usage = await holdfastOutput("--help");
  const commands = [...usage.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name = ""]) => name);
  const texts = new Set([usage]);
  for (const command of commands) texts.add(await holdfastOutput(command, "--help"));
  return [...texts].map((text) => `\`\`\`\n${text.trim()}\n\`\`\``).join("\n\n");
}
