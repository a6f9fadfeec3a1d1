import { ContractFault } from "@holdfast/domain";

/** What a script does to its surroundings. */
export interface PsqlSession {
  /** Runs one statement, and resolves to its rows. */
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The value of an environment variable; null: it is not set. */
  env(name: string): string | null;
  /** Writes a value as a literal of SQL. */
  literal(value: string): string;
  /** Writes a value as a name of SQL. */
  identifier(value: string): string;
}

/** A piece of a script, the first of these that fits. */
const piece =
  /(?<text>--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<tag>\$\w*\$)[\s\S]*?\k<tag>|::|[\w\s]+)|:'(?<literal>\w+)'|:"(?<name>\w+)"|:\{\?(?<asked>\w+)\}|:(?<plain>[a-zA-Z]\w*)|(?<end>;)|\\(?<command>\w+)(?<rest>[^\n]*)|(?<other>[\s\S])/y;

/**
 * Runs a script for psql, as far as `infra/postgres/logins.sql` needs it: `\set`, `\getenv`, `\if`
 * and its kin, `\gexec`, `\gset`, `\g`, `\echo`, and variables. Throws for any other command of
 * psql, so that nothing of a script is left out.
 */
export async function runPsqlScript(
  script: string,
  session: PsqlSession,
  variables: Map<string, string>,
): Promise<void> {
  const conditions = openConditions();
  let sql = "";
  const isSkipped = (): boolean => !conditions.holds();
  const send = async (): ReturnType<PsqlSession["run"]> => {
    const statement = withoutComments(sql);
    sql = "";
    return statement === "" ? [] : await session.run(statement);
  };
  const commands: Readonly<Record<string, (rest: string) => Promise<void> | void>> = {
    set: (rest) => {
      const [name = "", ...values] = wordsOf(rest);
      variables.set(name, values.join(""));
    },
    getenv: (rest) => {
      const [name = "", variable = ""] = wordsOf(rest);
      const value = session.env(variable);
      if (value !== null) variables.set(name, value);
    },
    echo: () => {},
    g: async () => void (await send()),
    gexec: async () => {
      for (const row of await send()) {
        for (const made of Object.values(row)) {
          if (typeof made === "string") await session.run(made);
        }
      }
    },
    gset: async () => {
      const [row = {}] = await send();
      for (const [name, value] of Object.entries(row)) variables.set(name, String(value));
    },
  };
  for (const { groups = {} } of script.matchAll(new RegExp(piece.source, "g"))) {
    const { text, literal, name, asked, plain, end, command, rest = "", other } = groups;
    if (command !== undefined) {
      const said = valuesIn(rest, variables);
      if (conditions.follow(command, said) || isSkipped()) continue;
      const act = commands[command];
      if (act === undefined) throw unusable(`has \\${command}, which only psql knows`);
      await act(said);
    } else if (isSkipped()) continue;
    else if (end !== undefined) await send();
    else if (asked !== undefined) sql += variables.has(asked) ? "TRUE" : "FALSE";
    else if (literal !== undefined) sql += session.literal(valueOf(literal, variables));
    else if (name !== undefined) sql += session.identifier(valueOf(name, variables));
    else if (plain !== undefined) sql += plainValue(plain, session, variables);
    else sql += text ?? other ?? "";
  }
  await send();
}

function valueOf(name: string, variables: ReadonlyMap<string, string>): string {
  const value = variables.get(name);
  if (value === undefined) throw unusable(`needs the variable ${name}, which is not set`);
  return value;
}

/** psql writes the name of the database as it is; as an identifier it is right for every name. */
const plainValue = (
  name: string,
  session: PsqlSession,
  variables: ReadonlyMap<string, string>,
): string => {
  const value = valueOf(name, variables);
  return name === "DBNAME" ? session.identifier(value) : value;
};

/** The words of a command of psql, which may be in quotes. */
const wordsOf = (rest: string): readonly string[] =>
  Array.from(rest.matchAll(/'((?:[^']|'')*)'|(\S+)/g), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? "") : quoted.replaceAll("''", "'"),
  );

const valuesIn = (rest: string, variables: ReadonlyMap<string, string>): string =>
  rest
    .replaceAll(/:\{\?(\w+)\}/g, (_, name: string) => String(variables.has(name)))
    .replaceAll(/:'(\w+)'/g, (_, name: string) => `'${valueOf(name, variables)}'`)
    .replaceAll(/:([a-zA-Z]\w*)/g, (_, name: string) => valueOf(name, variables));

const unusable = (why: string): ContractFault =>
  new ContractFault("config.invalid", `The script ${why}: run it with psql`);

/** Comments before a statement are none of it. */
const withoutComments = (sql: string): string =>
  sql.replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, "").trim();

/**
 * The environment variables that a script cannot do without: it uses what they hold, has no value
 * of its own for them, and asks nowhere whether they are set.
 */
export function variablesNeeded(script: string): readonly string[] {
  const asked = new Set(
    Array.from(script.matchAll(/:\{\?(\w+)\}|^\\set (\w+)/gm), ([, name, set]) => name ?? set),
  );
  const all = Array.from(
    script.matchAll(/^\\getenv (\w+) (\w+)/gm),
    ([, name = "", variable = ""]) => ({
      name,
      variable,
    }),
  );
  return all.filter(({ name }) => !asked.has(name)).map(({ variable }) => variable);
}

function branch(level: { runs: boolean; done: boolean } | undefined, isTrue: boolean): void {
  if (level === undefined) throw unusable("has a branch without \\if");
  level.runs = isTrue && !level.done;
  level.done ||= level.runs;
}

/** The `\if`s that a place of a script is in. */
function openConditions() {
  /** Whether the lines of each run now, and whether some of its branches have run. */
  const levels: { runs: boolean; done: boolean }[] = [];
  const holds = (): boolean => levels.every(({ runs }) => runs);
  return {
    holds,
    /** Follows a command, and returns whether it is one of conditions. */
    follow(command: string, said: string): boolean {
      const isTrue = /^\s*(true|on|yes|1|t|y)\s*$/i.test(said);
      if (command === "if") levels.push({ runs: isTrue, done: isTrue });
      else if (command === "elif") branch(levels.at(-1), isTrue);
      else if (command === "else") branch(levels.at(-1), true);
      else if (command === "endif") levels.pop();
      else return false;
      return true;
    },
  };
}
