import type { Maybe } from "../maybe.ts";

/** What statements of sql/pause take and return, as `npm run rows` finds it. */
export interface PauseStatements {
  readonly "end-pause": {
    readonly params: {
      readonly actor: string | null;
      readonly reason: string | null;
      readonly kind: string | null;
      readonly name: string | null;
    };
    readonly row: { readonly id: Maybe<string> };
  };
  readonly "find-pauses": {
    readonly params: {
      readonly before: number | string | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly id: Maybe<string>;
      readonly kind: string;
      readonly name: string;
      readonly actor: string;
      readonly reason: string;
      readonly pausedAt: Date;
      readonly resumedAt: Date | null;
      readonly resumedBy: string | null;
      readonly resumeReason: string | null;
    };
  };
  readonly "insert-pause": {
    readonly params: {
      readonly kind: string | null;
      readonly name: string | null;
      readonly actor: string | null;
      readonly reason: string | null;
    };
    readonly row: { readonly id: Maybe<string> };
  };
  readonly "release-resumed-steps": {
    readonly params: object;
    readonly row: { readonly steps: Maybe<number> };
  };
  readonly "set-paused-steps-aside": {
    readonly params: object;
    readonly row: { readonly steps: Maybe<number> };
  };
}
