import type { Maybe } from "../maybe.ts";

/** What statements of sql/view take and return, as `npm run rows` finds it. */
export interface ViewStatements {
  readonly "find-changed-tasks": {
    readonly params: {
      readonly after: number | string | null;
      readonly mostMoves: number | string | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly lastId: Maybe<string>;
      readonly moved: Maybe<number>;
      readonly tasks: unknown;
    };
  };
  readonly "find-earlier-move": {
    readonly params: {
      readonly taskId: string | null;
      readonly seen: number | string | null;
      readonly overlap: number | null;
    };
    readonly row: { readonly id: Maybe<string> };
  };
  readonly "find-followed-tasks": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly version: Maybe<number>;
      readonly processState: Maybe<string>;
      readonly hasEnded: Maybe<boolean>;
    };
  };
  readonly "find-late-replies": {
    readonly params: { readonly taskId: string | null; readonly most: number | string | null };
    readonly row: {
      readonly step: string | null;
      readonly attempt: number | null;
      readonly reason: string;
      readonly sender: string | null;
      readonly at: Date;
    };
  };
  readonly "find-moves-since": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly afters: readonly (number | string | null)[] | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly after: Maybe<string>;
      readonly id: Maybe<string>;
      readonly step: string | null;
      readonly action: string;
      readonly fromState: string | null;
      readonly toState: string;
      readonly attempt: number | null;
      readonly actor: string;
      readonly reason: string | null;
      readonly note: string | null;
      readonly at: Date;
    };
  };
  readonly "find-recent-moves": {
    readonly params: { readonly taskId: string | null; readonly most: number | string | null };
    readonly row: {
      readonly step: string | null;
      readonly action: string;
      readonly fromState: string | null;
      readonly toState: string;
      readonly attempt: number | null;
      readonly actor: string;
      readonly reason: string | null;
      readonly at: Date;
    };
  };
  readonly "find-step-limits": {
    readonly params: { readonly mostBytes: number | null; readonly taskId: string | null };
    readonly row: {
      readonly name: Maybe<string>;
      readonly startWithin: Maybe<number>;
      readonly completeWithin: Maybe<number>;
      readonly input: unknown;
    };
  };
}
