import type { Maybe } from "../maybe.ts";

/** What statements of sql/waits take and return, as `npm run rows` finds it. */
export interface WaitsStatements {
  readonly "delete-waits": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
    };
    readonly row: { readonly ended: Maybe<string> };
  };
  readonly "hold-waits": {
    readonly params: { readonly expected: number | null };
    readonly row: { readonly held: Maybe<number>; readonly alert: Maybe<string> };
  };
  readonly "insert-waits": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly kinds: readonly (string | null)[] | null;
      readonly signals: readonly (string | null)[] | null;
      readonly audiences: readonly (string | null)[] | null;
      readonly deadlines: readonly (number | null)[] | null;
      readonly remindAfters: readonly (number | null)[] | null;
    };
    readonly row: object;
  };
  readonly "move-waits": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly deadlines: readonly (number | null)[] | null;
      readonly remindAfters: readonly (number | null)[] | null;
    };
    readonly row: { readonly moved: Maybe<string> };
  };
  readonly "postpone-waits": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly laters: readonly (number | null)[] | null;
      readonly heldUp: readonly (boolean | null)[] | null;
      readonly reminders: readonly (boolean | null)[] | null;
    };
    readonly row: object;
  };
  readonly "take-due-waits": {
    readonly params: { readonly expected: number | null; readonly most: number | string | null };
    readonly row: {
      readonly due: unknown;
      readonly nextIn: Maybe<number>;
      readonly now: Maybe<number>;
      readonly areUsed: Maybe<boolean>;
    };
  };
}
