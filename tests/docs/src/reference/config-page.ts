import { readFile, sourceFiles } from "../repository.ts";
import { commentsOfExports, commentsOfKeys, namesOfValues } from "./doc-comments.ts";
import { type Field, fieldsOf, type Schema, table, typeOf } from "./json-schema.ts";
import { load } from "./load.ts";

interface Config {
  readonly title: string;
  readonly file: string;
  readonly fields: readonly Field[];
}

const declaration = /^export const (\w*Config) = Type\.Object\(/m;

/** Each configuration of a package or a service: a constant `…Config` that is a TypeBox object. */
async function findConfigs(): Promise<readonly Config[]> {
  const found = sourceFiles.flatMap((file) => {
    const name = declaration.exec(readFile(file))?.[1];
    return name === undefined ? [] : [{ file, name }];
  });
  return await Promise.all(
    found.map(async ({ file, name }) => ({
      title: name,
      file,
      fields: fieldsOf((await load(file))[name] as Schema),
    })),
  );
}

const titles: Readonly<Record<string, string>> = {
  BaseConfig: "Every process",
  AgentConfig: "Every process that runs Agents",
  AgentHostConfig: "The agent host (`services/agent`)",
  ConsoleConfig: "console",
  MigrationConfig: "The migration (`@holdfast/state-store`)",
  SchedulerConfig: "scheduler",
  SubmissionConfig: "submission",
  SupervisorConfig: "supervisor",
};

/**
 * The tables of docs/reference/config.md. What every process reads stands in the first one only.
 */
export async function configPage(): Promise<string> {
  const configs = await findConfigs();
  const keysOf = (title: string): ReadonlySet<string> =>
    new Set(configs.find((one) => one.title === title)?.fields.map(({ path }) => path));
  const shared = general.map((title) => ({ title, keys: keysOf(title) }));
  return configs
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((config) => section(config, ownFields(config, shared), configs))
    .join("\n\n");
}

/** Configurations that others contain as a whole. */
const general: readonly string[] = ["BaseConfig", "AgentConfig"];

const rankOf = ({ title }: Config): number =>
  general.includes(title) ? general.indexOf(title) : general.length;

interface Shared {
  readonly title: string;
  readonly keys: ReadonlySet<string>;
}

function ownFields({ title, fields }: Config, shared: readonly Shared[]): readonly Field[] {
  const names = new Set(fields.map(({ path }) => path));
  const contained = shared.filter(
    (one) => one.title !== title && [...one.keys].every((key) => names.has(key)),
  );
  return fields.filter(({ path }) => !contained.some(({ keys }) => keys.has(path)));
}

function section(
  { title, file }: Config,
  own: readonly Field[],
  configs: readonly Config[],
): string {
  const explain = [file, ...configs.map((one) => one.file)].map(meaningsOf);
  const rows = own.map(({ path, schema, isRequired }) => [
    `\`${path}\``,
    typeOf(schema),
    defaultOf(schema, isRequired),
    explain.map((of) => of(path)).find((text) => text !== undefined) ?? missing(path, file),
  ]);
  return `## ${titles[title] ?? title}\n\n${table([["name", "type and bounds", "default", "meaning"], ...rows])}`;
}

function missing(path: string, file: string): never {
  throw new Error(`${path} in ${file} has no comment: say in one sentence what it sets.`);
}

function defaultOf({ default: value }: Schema, isRequired: boolean): string {
  if (value !== undefined) return `\`${String(value)}\``;
  return isRequired ? "required" : "none";
}

/** A key's own comment, or else that of the constant that it is made of. */
function meaningsOf(file: string): (key: string) => string | undefined {
  const source = readFile(file);
  const comments = commentsOfKeys(source);
  const names = namesOfValues(source);
  const constants = new Map(
    sourceFiles
      .filter((one) => one.startsWith("packages/runtime/"))
      .flatMap((one) => [...commentsOfExports(readFile(one))]),
  );
  return (key) => comments.get(key) ?? constants.get(names.get(key) ?? "");
}
