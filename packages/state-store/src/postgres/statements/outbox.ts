import type { Maybe } from "../maybe.ts";

/** What statements of sql/outbox take and return, as `npm run rows` finds it. */
export interface OutboxStatements {
  readonly "delete-notifications": {
    readonly params: {
      readonly ids: readonly (number | string | null)[] | null;
      readonly delivered: readonly (number | string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "delete-stale-notifications": {
    readonly params: object;
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "insert-dead-letters": {
    readonly params: {
      readonly bodies: Buffer | null;
      readonly queues: readonly (string | null)[] | null;
      readonly reasons: readonly (string | null)[] | null;
      readonly details: readonly (string | null)[] | null;
      readonly messageIds: readonly (string | null)[] | null;
      readonly types: readonly (string | null)[] | null;
      readonly senders: readonly (string | null)[] | null;
      readonly lengths: readonly (number | null)[] | null;
      readonly sizes: readonly (number | null)[] | null;
      readonly properties: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "insert-notifications": {
    readonly params: {
      readonly subjects: readonly (string | null)[] | null;
      readonly channels: readonly (string | null)[] | null;
      readonly seqs: readonly (number | null)[] | null;
      readonly addresses: readonly (string | null)[] | null;
      readonly correlationIds: readonly (string | null)[] | null;
      readonly bodies: readonly (string | null)[] | null;
      readonly traceContexts: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "measure-outbox": {
    readonly params: object;
    readonly row: { readonly waiting: Maybe<number>; readonly oldestFor: Maybe<number> };
  };
  readonly "take-notifications": {
    readonly params: {
      readonly after: string | null;
      readonly delayed: readonly (string | null)[] | null;
      readonly until: string | null;
      readonly lease: number | null;
    };
    readonly row: {
      readonly id: Maybe<string>;
      readonly subject: string;
      readonly channel: string;
      readonly seq: number;
      readonly address: string | null;
      readonly correlationId: string | null;
      readonly body: unknown;
      readonly traceContext: string | null;
      readonly destination: Maybe<string>;
    };
  };
}
