import type { Maybe } from "../maybe.ts";

/** What the statements of sql/expire take and return. Written by `npm run rows`, from the database. */
export interface ExpireStatements {
  readonly "find-expired": {
    readonly params: {
      readonly since: number | null;
      readonly held: readonly (string | null)[] | null;
      readonly format: number | null;
      readonly batch: number | string | null;
    };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly step: Maybe<string>;
      readonly attempt: Maybe<number>;
      readonly token: Maybe<string>;
      readonly overdue: Maybe<number>;
      readonly lasted: Maybe<number>;
      readonly nextIn: Maybe<number>;
      readonly passed: Maybe<number>;
      readonly now: Maybe<number>;
      readonly took: Maybe<number>;
    };
  };
  readonly "find-stalled-tasks": {
    readonly params: { readonly after: string | null; readonly untouchedFor: number | null };
    readonly row: { readonly taskIds: unknown; readonly next: Maybe<string> };
  };
}
