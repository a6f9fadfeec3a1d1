import type { Maybe } from "../maybe.ts";

/** What statements of sql/submit take and return, as `npm run rows` finds it. */
export interface SubmitStatements {
  readonly "claim-enqueued": {
    readonly params: {
      readonly mostLeases: number | null;
      readonly lease: number | null;
      readonly most: number | string | null;
      readonly mostBytes: number | string | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly submission: Maybe<string>;
      readonly replayOf: string | null;
      readonly traceContext: string | null;
      readonly submitter: string;
      readonly application: string | null;
      readonly claims: number;
    };
  };
  readonly "claim-enqueued-signals": {
    readonly params: {
      readonly mostLeases: number | null;
      readonly lease: number | null;
      readonly most: number | string | null;
      readonly mostBytes: number | string | null;
    };
    readonly row: {
      readonly number: Maybe<string>;
      readonly taskId: string;
      readonly name: string;
      readonly signalId: string;
      readonly payload: Maybe<string>;
      readonly replyTo: string | null;
      readonly correlationId: string | null;
      readonly submitter: string;
      readonly application: string | null;
      readonly sentBy: string | null;
      readonly claims: number;
    };
  };
  readonly "delete-enqueued": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: object;
  };
  readonly "delete-enqueued-signals": {
    readonly params: { readonly numbers: readonly (number | string | null)[] | null };
    readonly row: object;
  };
  readonly "find-business-keys": {
    readonly params: {
      readonly tenants: readonly (string | null)[] | null;
      readonly families: readonly (string | null)[] | null;
      readonly keys: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly tenant: string;
      readonly family: string;
      readonly key: string;
      readonly taskId: string;
    };
  };
  readonly "find-enqueued": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: {
      readonly taskId: string;
      readonly submission: Maybe<string>;
      readonly workflow: string;
    };
  };
  readonly "find-enqueued-task": {
    readonly params: { readonly taskId: string | null };
    readonly row: {
      readonly submission: Maybe<string>;
      readonly bytes: Maybe<number>;
      readonly workflow: Maybe<string>;
      readonly enqueuedAt: Maybe<Date>;
      readonly traceContext: string | null;
      readonly code: Maybe<string>;
      readonly detail: Maybe<string>;
    };
  };
  readonly "find-submissions": {
    readonly params: {
      readonly tenants: readonly (string | null)[] | null;
      readonly keys: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly tenant: string;
      readonly key: string;
      readonly hash: string;
      readonly taskId: string;
    };
  };
  readonly "glance-at-inboxes": {
    readonly params: object;
    readonly row: { readonly submissions: Maybe<boolean>; readonly signals: Maybe<boolean> };
  };
  readonly "insert-business-keys": {
    readonly params: {
      readonly tenants: readonly (string | null)[] | null;
      readonly families: readonly (string | null)[] | null;
      readonly keys: readonly (string | null)[] | null;
      readonly taskIds: readonly (string | null)[] | null;
    };
    readonly row: { readonly taskId: string };
  };
  readonly "insert-enqueued-signals": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly signalIds: readonly (string | null)[] | null;
      readonly payloads: readonly (string | null)[] | null;
      readonly replyTos: readonly (string | null)[] | null;
      readonly correlationIds: readonly (string | null)[] | null;
      readonly sentBys: readonly (string | null)[] | null;
    };
    readonly row: { readonly taskId: string };
  };
  readonly "insert-submissions": {
    readonly params: {
      readonly tenants: readonly (string | null)[] | null;
      readonly keys: readonly (string | null)[] | null;
      readonly hashes: readonly (string | null)[] | null;
      readonly taskIds: readonly (string | null)[] | null;
      readonly keeps: readonly (number | null)[] | null;
    };
    readonly row: { readonly taskId: string };
  };
  readonly "insert-task-labels": {
    readonly params: {
      readonly names: readonly (string | null)[] | null;
      readonly values: readonly (string | null)[] | null;
      readonly taskIds: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "insert-tasks": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly tenants: readonly (string | null)[] | null;
      readonly workflows: readonly (string | null)[] | null;
      readonly states: readonly (string | null)[] | null;
      readonly priorities: readonly (string | null)[] | null;
      readonly fairnessKeys: readonly (string | null)[] | null;
      readonly fairnessWeights: readonly (number | null)[] | null;
      readonly replyTos: readonly (string | null)[] | null;
      readonly correlationIds: readonly (string | null)[] | null;
      readonly businessKeys: readonly (string | null)[] | null;
      readonly labels: readonly (string | null)[] | null;
      readonly beginAts: readonly (number | null)[] | null;
      readonly completeBys: readonly (number | null)[] | null;
      readonly inputs: readonly (string | null)[] | null;
      readonly traceContexts: readonly (string | null)[] | null;
      readonly enqueuedBys: readonly (string | null)[] | null;
      readonly submittedBys: readonly (string | null)[] | null;
      readonly formats: readonly (number | null)[] | null;
      readonly actor: string | null;
    };
    readonly row: object;
  };
  readonly "lock-enqueued": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: { readonly taskId: string };
  };
  readonly "new-task-ids": {
    readonly params: {
      readonly count: number | null;
      readonly workflows: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly now: Maybe<number>;
      readonly retired: Maybe<readonly string[]>;
      readonly inactive: Maybe<readonly string[]>;
    };
  };
  readonly "refuse-enqueued": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly codes: readonly (string | null)[] | null;
      readonly details: readonly (string | null)[] | null;
      readonly errors: readonly (string | null)[] | null;
    };
    readonly row: { readonly taskId: string };
  };
  readonly "refuse-enqueued-signals": {
    readonly params: {
      readonly numbers: readonly (number | string | null)[] | null;
      readonly codes: readonly (string | null)[] | null;
      readonly details: readonly (string | null)[] | null;
      readonly errors: readonly (string | null)[] | null;
    };
    readonly row: { readonly number: Maybe<string> };
  };
  readonly "release-submissions": {
    readonly params: {
      readonly tenants: readonly (string | null)[] | null;
      readonly keys: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "wait-for-replication": {
    readonly params: object;
    readonly row: { readonly lsn: Maybe<string> };
  };
}
