import { errorText } from "@holdfast/domain";

/**
 * What `read` makes of the arguments of this process. Where it throws, says why and how the command
 * is meant, and ends with 2; asked for `--help`, says the second and ends with 0.
 */
export function commandLine<Options>(
  read: (args: readonly string[]) => Options,
  usage: string,
): Options {
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return read(args);
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n\n${usage}\n`);
    process.exit(2);
  }
}
