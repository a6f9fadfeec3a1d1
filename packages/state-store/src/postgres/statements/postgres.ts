import type { Maybe } from "../maybe.ts";

/** What statements of sql/postgres take and return, as `npm run rows` finds it. */
export interface PostgresStatements {
  readonly "begin-transaction": {
    readonly params: object;
    readonly row: { readonly xid: Maybe<string>; readonly incarnation: Maybe<string> };
  };
  readonly "find-active-partitions": {
    readonly params: object;
    readonly row: {
      readonly firstId: Maybe<string>;
      readonly endId: Maybe<string>;
      readonly firstKnownId: Maybe<string>;
      readonly endKnownId: Maybe<string>;
    };
  };
  readonly "find-transaction": {
    readonly params: { readonly xid: string | null };
    readonly row: { readonly status: Maybe<string>; readonly incarnation: Maybe<string> };
  };
}
