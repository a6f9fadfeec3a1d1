import { type ParseArgsConfig, parseArgs } from "node:util";
import { ContractFault, errorText } from "@holdfast/domain";

/** A command line that cannot be followed, in words that say why. */
export const usageFault = (message: string): ContractFault =>
  new ContractFault("cli.usage", message);

/** Reads the arguments of a command. Throws `cli.usage` with what is wrong. */
export function readArguments<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw usageFault(errorText(error));
  }
}
