import type { Maybe } from "../maybe.ts";

/** What statements of sql/signals take and return, as `npm run rows` finds it. */
export interface SignalsStatements {
  readonly "empty-mailboxes": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly tenants: readonly (string | null)[] | null;
      readonly families: readonly (string | null)[] | null;
      readonly keys: readonly (string | null)[] | null;
      readonly contracts: readonly (string | null)[] | null;
    };
    readonly row: { readonly handed: Maybe<number>; readonly alert: Maybe<string> };
  };
  readonly "find-held-signal": {
    readonly params: {
      readonly tenant: string | null;
      readonly family: string | null;
      readonly key: string | null;
      readonly name: string | null;
      readonly signalId: string | null;
    };
    readonly row: { readonly requestHash: string; readonly until: Maybe<number> };
  };
  readonly "find-signal-holder": {
    readonly params: {
      readonly tenant: string | null;
      readonly family: string | null;
      readonly key: string | null;
      readonly name: string | null;
      readonly signalId: string | null;
    };
    readonly row: { readonly taskId: string };
  };
  readonly "find-signals": {
    readonly params: {
      readonly taskId: string | null;
      readonly after: number | string | null;
      readonly most: number | null;
      readonly mostBytes: number | null;
    };
    readonly row: {
      readonly number: Maybe<string>;
      readonly name: string;
      readonly id: string;
      readonly payload: unknown;
      readonly sentBy: string;
      readonly at: Maybe<number>;
      readonly takenBy: string | null;
      readonly isLate: boolean;
      readonly found: Maybe<string>;
    };
  };
  readonly "find-untaken-signals": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly mostBytes: number | null;
    };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly step: Maybe<string>;
      readonly id: Maybe<string>;
      readonly fits: Maybe<boolean>;
      readonly payload: unknown;
    };
  };
  readonly "has-signal": {
    readonly params: {
      readonly taskId: string | null;
      readonly name: string | null;
      readonly signalId: string | null;
    };
    readonly row: { readonly isThere: Maybe<boolean> };
  };
  readonly "hold-signal": {
    readonly params: {
      readonly tenant: string | null;
      readonly family: string | null;
      readonly key: string | null;
      readonly name: string | null;
      readonly signalId: string | null;
      readonly requestHash: string | null;
      readonly payload: string | null;
      readonly contract: string | null;
      readonly sentBy: string | null;
      readonly holdFor: number | null;
    };
    readonly row: { readonly until: Maybe<number> };
  };
  readonly "lock-mailboxes": {
    readonly params: {
      readonly tenants: readonly (string | null)[] | null;
      readonly families: readonly (string | null)[] | null;
      readonly keys: readonly (string | null)[] | null;
    };
    readonly row: { readonly locked: Maybe<number> };
  };
  readonly "store-signals": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly signalIds: readonly (string | null)[] | null;
      readonly requestHashes: readonly (string | null)[] | null;
      readonly payloads: readonly (string | null)[] | null;
      readonly sentBys: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly alertsLate: readonly (boolean | null)[] | null;
    };
    readonly row: {
      readonly nth: Maybe<number>;
      readonly outcome: Maybe<string>;
      readonly isReplay: Maybe<boolean>;
      readonly at: Maybe<number>;
    };
  };
  readonly "take-signals": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly ids: readonly (number | string | null)[] | null;
    };
    readonly row: { readonly taken: Maybe<string> };
  };
}
