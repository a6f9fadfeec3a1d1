import { Fault } from "@holdfast/domain";
import { openQueries, queryOnce } from "@holdfast/local-stack";
import type { TransactionClient } from "@holdfast/state-store";

/**
 * Makes a login with the rights of an application in the store at `url`; each statement is a
 * transaction.
 */
export async function openApplication(url: string, login: string): Promise<TransactionClient> {
  await queryOnce(
    url,
    `do $$ begin create role ${login} login password 'x' in role holdfast_application;
       exception when duplicate_object or unique_violation then null; end $$`,
  );
  return {
    query: async (text, values) => ({ rows: await queryOnce(urlOf(url, login), text, values) }),
  };
}

/** Does what the application with that login does in one transaction, and commits. */
export async function inTransaction(
  url: string,
  login: string,
  act: (client: TransactionClient) => Promise<void>,
): Promise<void> {
  await using queries = await openQueries(urlOf(url, login));
  await queries.query("begin");
  await act({ query: async (text, values) => ({ rows: await queries.query(text, values) }) });
  await queries.query("commit");
}

/**
 * All that waits becomes tasks, or is refused. What a look took whose answer was lost is free
 * again, as later.
 */
export async function takeAllIn(url: string, take: () => Promise<boolean>): Promise<void> {
  for (let isMore = true; isMore; ) {
    isMore = await take().catch(async (error: unknown) => {
      if (!(error instanceof Fault && error.transient)) throw error;
      await endLeasesIn(url);
      return true;
    });
  }
}

export const endLeasesIn = (url: string) =>
  queryOnce(url, "update state.inbox set leased_until = null");

function urlOf(url: string, login: string): string {
  const own = new URL(url);
  [own.username, own.password] = [login, "x"];
  return own.href;
}
