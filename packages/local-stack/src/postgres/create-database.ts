import { randomUUID } from "node:crypto";
import { queryOnce } from "./query-once.ts";

export interface Database extends AsyncDisposable {
  readonly url: string;
  /** Drops it, and closes the connections to it. */
  drop(): Promise<void>;
}

interface DatabaseOptions {
  /** The name of the database; unique unless given. */
  readonly name?: string;
  /**
   * The database that it is a copy of; nothing may be connected to that meanwhile. Without it it is
   * empty.
   */
  readonly template?: string;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Makes a database on the server. */
export async function createDatabase(
  serverUrl: string,
  { name = `test_${randomUUID().replaceAll("-", "")}`, template }: DatabaseOptions = {},
): Promise<Database> {
  const quoted = quote(name);
  const copied = template === undefined ? "" : ` template ${quote(template)}`;
  await queryOnce(serverUrl, `create database ${quoted}${copied}`);
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  const drop = async () => {
    await queryOnce(serverUrl, `drop database if exists ${quoted} with (force)`);
  };
  return { url: url.href, drop, [Symbol.asyncDispose]: drop };
}
