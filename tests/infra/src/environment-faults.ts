import { environmentNames, parseConfig } from "@holdfast/runtime";
import { configOf } from "./service-config.ts";

type Environment = Readonly<Record<string, string>>;

/** What the service at `main` would refuse or ignore of this environment. */
export async function environmentFaults(
  main: string,
  environment: Environment,
): Promise<readonly string[]> {
  const config = await configOf(main);
  const known = new Set(environmentNames(config).flatMap((name) => [name, `${name}_FILE`]));
  const unknown = Object.keys(environment).filter((name) => !known.has(name));
  return [...unknown.map((name) => `${name} is read by nobody`), ...refusals(config, environment)];
}

function refusals(config: Parameters<typeof parseConfig>[0], environment: Environment) {
  try {
    parseConfig(config, environment);
    return [];
  } catch (error) {
    return [String(error)];
  }
}
