import { randomUUID } from "node:crypto";
import { queryOnce } from "./query-once.ts";

export interface Database extends AsyncDisposable {
  readonly url: string;
  /** Drops it, and closes the connections to it. */
  drop(): Promise<void>;
}

/** Makes a database on the server. Without a name it gets a unique one. */
export async function createDatabase(
  serverUrl: string,
  name = `test_${randomUUID().replaceAll("-", "")}`,
): Promise<Database> {
  const quoted = `"${name.replaceAll('"', '""')}"`;
  await queryOnce(serverUrl, `create database ${quoted}`);
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  const drop = async () => {
    await queryOnce(serverUrl, `drop database if exists ${quoted} with (force)`);
  };
  return { url: url.href, drop, [Symbol.asyncDispose]: drop };
}
