import { type TObject, Type } from "typebox";
import { parseConfig } from "../config/config.ts";
import { defaultSecrets } from "../config/default-secrets.ts";
import { type Environment, fileOf, readVariable } from "../config/read-variable.ts";

interface Options {
  readonly schema: TObject;
  readonly env: Environment;
  /** What it was at the start. */
  readonly first: string;
  readonly areDefaultsAllowed: boolean;
  /** Called when the file holds something that cannot be used; its last usable value stays. */
  readonly onUnusable: (problem: string) => void;
}

/** Reads a setting anew each time, where it is in a file. A text in it that would not do at the start is ignored. */
export function settingReader(name: string, options: Options): () => string {
  const { schema, env, first, areDefaultsAllowed, onUnusable } = options;
  if (fileOf(name, env) === null) return () => first;
  const property = schema.properties[name];
  let usable = first;
  let seen = first;

  const check = (): string => {
    const only = Type.Object(property === undefined ? {} : { [name]: property });
    const read = parseConfig(only, env) as Readonly<Record<string, string>>;
    const [secret] = areDefaultsAllowed ? [] : defaultSecrets(read);
    if (secret !== undefined) throw new Error(secret);
    return read[name] ?? first;
  };

  return () => {
    const { value, problem } = readVariable(name, env);
    const text = value ?? problem ?? "";
    if (text === seen) return usable;
    seen = text;
    try {
      usable = check();
    } catch (error) {
      onUnusable((error as Error).message);
    }
    return usable;
  };
}
