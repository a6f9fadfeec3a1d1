import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { runPsqlScript, variablesNeeded } from "./psql-script.ts";

const logins = readFileSync(
  new URL("../../../../infra/postgres/logins.sql", import.meta.url),
  "utf8",
);

/** Runs a script, and resolves to the statements that it sent. */
async function sent(
  script: string,
  env: Readonly<Record<string, string>> = {},
  rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {},
): Promise<readonly string[]> {
  const statements: string[] = [];
  const session = {
    env: (name: string) => env[name] ?? null,
    literal: (value: string) => `'${value.replaceAll("'", "''")}'`,
    identifier: (value: string) => `"${value}"`,
    run: async (sql: string) => {
      statements.push(sql);
      return rows[sql] ?? [];
    },
  };
  await runPsqlScript(script, session, new Map([["DBNAME", "shop-1"]]));
  return statements;
}

test("a script for psql is sent statement by statement, whatever its quotes and comments hold", async () => {
  const block = "do $$ begin perform 1; end $$";
  const script = `-- one; two\nselect 'a;b''c', "d;e"; /* f; */\n${block};\nselect 1::text`;
  expect(await sent(script)).toEqual([`select 'a;b''c', "d;e"`, block, "select 1::text"]);
});

test("variables of psql are written as values, as names, and as they are", async () => {
  const script = `\\getenv word WORD\n\\set table 'my table'\nselect :'word', :"table", :{?word}, :{?none};\nalter database :DBNAME owner to x;`;
  expect(await sent(script, { WORD: "it's" })).toEqual([
    `select 'it''s', "my table", TRUE, FALSE`,
    'alter database "shop-1" owner to x',
  ]);
});

test("gexec runs what a statement answers, gset keeps it, and g sends it", async () => {
  const rows = { "select made": [{ a: "create role x" }], "select known": [{ who: "ann" }] };
  const script = "select made\n\\gexec\nselect known \\gset\nselect :'who' \\g /dev/null\n";
  expect(await sent(script, {}, rows)).toEqual([
    "select made",
    "create role x",
    "select known",
    "select 'ann'",
  ]);
});

test.each([
  [{}, ["c"]],
  [{ A: "x" }, ["a"]],
  [{ B: "x" }, ["b"]],
  [{ A: "x", B: "x" }, ["a"]],
])("of the branches of a condition one is sent: %j", async (env, statements) => {
  const script =
    "\\getenv a A\n\\getenv b B\n\\if :{?a}\na;\n\\elif :{?b}\nb;\n\\else\nc;\n\\endif\n";
  expect(await sent(script, env)).toEqual(statements);
});

test.each([
  ["\\copy x from y\n", /has \\copy, which only psql knows/],
  ["select :'missing';", /needs the variable missing, which is not set/],
  ["\\else\n", /has a branch without \\if/],
])("a script that needs more than this is refused: %s", async (script, reason) => {
  await expect(sent(script)).rejects.toThrow(reason);
});

test("logins.sql is understood as a whole, and needs a password for the owner and each login", async () => {
  const needed = variablesNeeded(logins);
  expect(needed).toContain("OWNER_PASSWORD");
  const env = Object.fromEntries(needed.map((name) => [name, `${name} it's`]));
  const statements = await sent(logins, env);
  for (const name of needed) {
    expect(statements).toContainEqual(expect.stringContaining(`', '${name} it''s')`));
  }
  expect(statements.filter((one) => /^(begin|commit)$/.test(one))).toEqual(["begin", "commit"]);
});
