import type { Maybe } from "../maybe.ts";

/** What statements of sql/dead-letters take and return, as `npm run rows` finds it. */
export interface DeadLettersStatements {
  readonly "close-dead-letter": {
    readonly params: {
      readonly id: number | string | null;
      readonly action: string | null;
      readonly actor: string | null;
      readonly reason: string | null;
    };
    readonly row: { readonly id: Maybe<string> };
  };
  readonly "find-dead-letter": {
    readonly params: { readonly id: number | string | null };
    readonly row: {
      readonly id: Maybe<string>;
      readonly queue: string;
      readonly reason: string;
      readonly detail: string | null;
      readonly messageId: string | null;
      readonly type: string | null;
      readonly sender: string | null;
      readonly at: Date;
      readonly age: Maybe<number>;
      readonly size: Maybe<number>;
      readonly kept: Maybe<number>;
      readonly body: Buffer;
      readonly properties: unknown;
    };
  };
  readonly "find-dead-letter-action": {
    readonly params: { readonly id: number | string | null };
    readonly row: { readonly action: string };
  };
  readonly "find-dead-letter-actions": {
    readonly params: {
      readonly after: number | string | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly id: Maybe<string>;
      readonly queue: string;
      readonly messageId: string | null;
      readonly type: string | null;
      readonly sender: string | null;
      readonly action: string;
      readonly actor: string;
      readonly reason: string;
      readonly at: Date;
    };
  };
  readonly "find-dead-letters": {
    readonly params: {
      readonly shown: number | null;
      readonly before: number | string | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly id: Maybe<string>;
      readonly queue: string;
      readonly reason: string;
      readonly detail: string | null;
      readonly messageId: string | null;
      readonly type: string | null;
      readonly sender: string | null;
      readonly at: Date;
      readonly age: Maybe<number>;
      readonly size: Maybe<number>;
      readonly kept: Maybe<number>;
      readonly body: Maybe<Buffer>;
      readonly properties: unknown;
    };
  };
  readonly "find-dead-letters-of-queue": {
    readonly params: {
      readonly shown: number | null;
      readonly queue: string | null;
      readonly before: number | string | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly id: Maybe<string>;
      readonly queue: string;
      readonly reason: string;
      readonly detail: string | null;
      readonly messageId: string | null;
      readonly type: string | null;
      readonly sender: string | null;
      readonly at: Date;
      readonly age: Maybe<number>;
      readonly size: Maybe<number>;
      readonly kept: Maybe<number>;
      readonly body: Maybe<Buffer>;
      readonly properties: unknown;
    };
  };
}
