import { serverUrls } from "@holdfast/runtime";
import { type Client, escapeIdentifier, escapeLiteral } from "pg";
import { asFault } from "../postgres/postgres-error.ts";
import { connectStore } from "../postgres/store-client.ts";
import { runPsqlScript } from "./psql-script.ts";

export interface LoginOptions {
  /** The script for psql: `infra/postgres/logins.sql`. */
  readonly script: string;
  /**
   * The password that an environment variable of the script holds, such as `OWNER_PASSWORD`; null:
   * it is not set.
   */
  readonly passwordOf: (variable: string) => string | null;
  /** Rolls back in place of each commit: it fails where the whole would. */
  readonly dryRun: boolean;
}

/** What the script did. */
export interface MadeLogins {
  readonly database: string;
  /** Roles that were not there, with what kind they are, such as `scheduler login`. */
  readonly created: readonly string[];
  /** Logins whose passwords were set. */
  readonly passwords: readonly string[];
}

/** Makes the owner and a login for each service, as psql does with the same script. */
export const makeLogins = (url: string, options: LoginOptions): Promise<MadeLogins> =>
  asFault(async () => {
    const client = await connectStore(serverUrls(url), { application_name: "holdfast logins" });
    try {
      return await runScript(client, options);
    } finally {
      await client.end();
    }
  });

async function runScript(
  client: Client,
  { script, passwordOf, dryRun }: LoginOptions,
): Promise<MadeLogins> {
  const { rows } = await client.query<{ database: string; user: string }>(
    'select current_database() as database, current_user as "user"',
  );
  const { database = "", user = "" } = rows[0] ?? {};
  const [created, passwords]: [string[], string[]] = [[], []];
  const session = {
    literal: escapeLiteral,
    identifier: escapeIdentifier,
    env: passwordOf,
    async run(sql: string) {
      const [, role] = /^create role (.+)$/i.exec(sql) ?? [];
      if (role !== undefined) created.push(role);
      const [, login] = /^alter role (\S+) password /i.exec(sql) ?? [];
      if (login !== undefined) passwords.push(login);
      const text = dryRun && /^(commit|end)$/i.test(sql) ? "rollback" : sql;
      return (await client.query<Record<string, unknown>>(text)).rows;
    },
  };
  const variables = new Map([
    ["DBNAME", database],
    ["USER", user],
  ]);
  await runPsqlScript(script, session, variables);
  return { database, created, passwords };
}
