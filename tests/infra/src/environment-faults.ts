import { environmentNames, parseConfig } from "@holdfast/runtime";
import { configOf, moduleConfigOf } from "./service-config.ts";

type Environment = Readonly<Record<string, string>>;

/** What the service at `main` would refuse or ignore of this environment. */
export async function environmentFaults(
  main: string,
  environment: Environment,
): Promise<readonly string[]> {
  const modules = environment["AGENT_MODULES"]?.split(",") ?? [];
  const configs = [await configOf(main), ...(await Promise.all(modules.map(moduleConfigOf)))];
  const known = new Set(
    configs.flatMap(environmentNames).flatMap((name) => [name, `${name}_FILE`]),
  );
  const unknown = Object.keys(environment).filter((name) => !known.has(name));
  return [
    ...unknown.map((name) => `${name} is read by nobody`),
    ...configs.flatMap((config) => refusals(config, environment)),
  ];
}

function refusals(config: Parameters<typeof parseConfig>[0], environment: Environment) {
  try {
    parseConfig(config, environment);
    return [];
  } catch (error) {
    return [String(error)];
  }
}
