import type { StoreContext } from "../store-context.ts";
import { asFault } from "./postgres-error.ts";
import type { Database } from "./query.ts";
import { inTransaction, pingStore, withRetries } from "./transaction.ts";

/**
 * One thing that the store can do. Bound to what an open store shares, it is the method that a
 * service calls. Every operation is made by one of the four functions below: they differ in what
 * happens after a lost connection.
 */
export type Operation<Args extends readonly unknown[], Result> = (
  context: StoreContext,
) => (...args: Args) => Promise<Result>;

type Run<Options, Result> = (
  db: Database,
  options: Options,
  context: StoreContext,
) => Promise<Result>;

/** An operation that is safe to repeat: it is retried. */
export const repeatable =
  <Options = void, Result = unknown>(
    run: Run<Options, Result>,
  ): Operation<[options: Options], Result> =>
  (context) =>
  (options) =>
    withRetries(() => run(context.pool, options, context));

/**
 * An operation that takes rows: it throws, because a retry would take more if only the answer was
 * lost.
 */
export const once =
  <Options = void, Result = unknown>(
    run: Run<Options, Result>,
  ): Operation<[options: Options], Result> =>
  (context) =>
  (options) =>
    asFault(() => run(context.pool, options, context));

/**
 * An operation whose second run would return something else, or write a second row. It runs in one
 * transaction. The store is asked by the id of that whether it was committed, and the operation is
 * retried only if it was not.
 */
export const exactlyOnce =
  <Options = void, Result = unknown>(
    run: Run<Options, Result>,
  ): Operation<[options: Options], Result> =>
  (context) =>
  (options) =>
    withRetries(() =>
      inTransaction(context.pool, async (client) => {
        const answer = await run(client, options, context);
        return { sent: [], result: () => answer };
      }),
    );

/**
 * An operation with transactions of its own, which retries each of them as it needs: nothing is
 * retried around it. Its doc comment says whether it is safe to repeat.
 */
export const composed =
  <Args extends readonly unknown[], Result>(
    run: (context: StoreContext, ...args: Args) => Promise<Result>,
  ): Operation<Args, Result> =>
  (context) =>
  (...args) =>
    run(context, ...args);

/** Resolves if the store answers and accepts writes. Safe to repeat. */
export const ping = composed(({ pool }): Promise<void> => pingStore(pool));
