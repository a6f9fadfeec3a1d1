import { spawnSync } from "node:child_process";
import { holdfastCommand } from "@holdfast/test-servers";

const usageOf = (args: readonly string[]): string => {
  const { stdout, stderr } = spawnSync(process.execPath, [...holdfastCommand, ...args], {
    encoding: "utf8",
    env: {},
  });
  return `${stdout}${stderr}`.trim();
};

/** The usage text of the command line, and of each command that has one of its own. */
export function cliPage(): string {
  const usage = usageOf(["--help"]);
  const commands = [...usage.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name = ""]) => name);
  const others = [...new Set(commands)].flatMap((command) => {
    const own = usageOf([command, "--help"]);
    return own === usage ? [] : [own];
  });
  return [usage, ...new Set(others)].map((text) => `\`\`\`\n${text}\n\`\`\``).join("\n\n");
}
