import type { Maybe } from "../maybe.ts";

/** What statements of sql/expire take and return, as `npm run rows` finds it. */
export interface ExpireStatements {
  readonly "ask-for-proof": {
    readonly params: {
      readonly silentFor: number | null;
      readonly queues: readonly (string | null)[] | null;
      readonly troubles: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly queue: string;
      readonly now: Maybe<number>;
      readonly waited: Maybe<number>;
    };
  };
  readonly "find-expired": {
    readonly params: {
      readonly since: number | null;
      readonly held: readonly (string | null)[] | null;
      readonly queues: readonly (string | null)[] | null;
      readonly settling: number | null;
      readonly format: number | null;
      readonly batch: number | string | null;
    };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly step: Maybe<string>;
      readonly attempt: Maybe<number>;
      readonly token: Maybe<string>;
      readonly overdue: Maybe<number>;
      readonly proven: Maybe<number>;
      readonly excused: Maybe<boolean>;
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
  readonly "raise-path-alert": {
    readonly params: { readonly queue: string | null; readonly detail: string | null };
    readonly row: { readonly raiseAlert: Maybe<string> };
  };
  readonly "record-proofs": {
    readonly params: {
      readonly queues: readonly (string | null)[] | null;
      readonly sentAts: readonly (number | null)[] | null;
      readonly tolerated: number | null;
    };
    readonly row: { readonly rememberOutage: Maybe<string> };
  };
  readonly "remember-outage": {
    readonly params: { readonly part: string | null; readonly lasted: number | null };
    readonly row: { readonly rememberOutage: Maybe<string> };
  };
}
