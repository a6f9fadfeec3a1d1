import type { Maybe } from "../maybe.ts";

/** What statements of sql/retention take and return, as `npm run rows` finds it. */
export interface RetentionStatements {
  readonly "delete-excess-messages": {
    readonly params: { readonly mostBytes: number | string | null; readonly batch: number | null };
    readonly row: { readonly sender: Maybe<string>; readonly messages: Maybe<number> };
  };
  readonly "delete-expired-keys": {
    readonly params: { readonly batch: number | string | null };
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "delete-finished-tasks": {
    readonly params: {
      readonly month: string | null;
      readonly keep: number | null;
      readonly batch: number | null;
    };
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "delete-free-business-keys": {
    readonly params: { readonly batch: number | string | null };
    readonly row: { readonly deleted: Maybe<number>; readonly isLast: Maybe<boolean> };
  };
  readonly "delete-old-bulk-operations": {
    readonly params: { readonly keep: number | null; readonly batch: number | string | null };
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "delete-old-messages": {
    readonly params: { readonly keep: number | null; readonly batch: number | string | null };
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "delete-old-records": {
    readonly params: { readonly keep: number | null; readonly batch: number | string | null };
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "delete-passed-fairness-keys": {
    readonly params: { readonly batch: number | string | null };
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "delete-unclaimed-signals": {
    readonly params: { readonly batch: number | string | null };
    readonly row: { readonly deleted: Maybe<number>; readonly alert: Maybe<string> };
  };
  readonly "drop-month": {
    readonly params: { readonly month: string | null; readonly keep: number | null };
    readonly row: { readonly dropped: Maybe<boolean> };
  };
  readonly "find-old-months": {
    readonly params: { readonly keep: number | null };
    readonly row: {
      readonly month: Maybe<string>;
      readonly hasUnfinished: Maybe<boolean>;
      readonly hasRecent: Maybe<boolean>;
    };
  };
  readonly "make-partitions": {
    readonly params: object;
    readonly row: { readonly month: Maybe<string> };
  };
  readonly "read-clock": {
    readonly params: object;
    readonly row: { readonly aheadSince: Maybe<number> };
  };
}
