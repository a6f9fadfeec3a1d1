/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "cli.usage";
}

/** The file of profiles is wrong: exit code 78. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly code = "config.invalid";
}
