import { parse } from "yaml";
import { readFile } from "./repository.ts";

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

const variable = /\$\{([A-Z_]+):-([^}]*)\}/g;

/** docker-compose.yml as it is when nothing is set. */
export const composeFile = (): ComposeFile =>
  parse(
    readFile("docker-compose.yml").replaceAll(variable, (_, __, byDefault: string) => byDefault),
    { merge: true },
  ) as ComposeFile;

/** What can be set from outside, with its default. */
export const composeVariables = (): readonly (readonly [string, string])[] =>
  [...readFile("docker-compose.yml").matchAll(variable)].map(
    ([, name = "", byDefault = ""]) => [name, byDefault] as const,
  );
