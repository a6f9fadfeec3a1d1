import { ContractFault } from "@holdfast/domain";

/** The command line is wrong: exit code 2. */
export class UsageError extends ContractFault {
  constructor(message: string) {
    super("cli.usage", message);
  }
}

/** The file of profiles is wrong: exit code 78. */
export class ConfigurationError extends ContractFault {
  constructor(message: string) {
    super("config.invalid", message);
  }
}
