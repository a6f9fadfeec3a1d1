import type { Maybe } from "../maybe.ts";

/** What statements of sql/read take and return, as `npm run rows` finds it. */
export interface ReadStatements {
  readonly "count-tasks": {
    readonly params: object;
    readonly row: { readonly processState: string; readonly tasks: Maybe<number> };
  };
  readonly "find-agents": {
    readonly params: {
      readonly format: number | null;
      readonly after: string | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly name: Maybe<string>;
      readonly living: Maybe<number>;
      readonly slots: Maybe<number>;
      readonly inFlight: Maybe<number>;
      readonly due: Maybe<number>;
      readonly dueFor: Maybe<number>;
      readonly paused: unknown;
      readonly instances: unknown;
    };
  };
  readonly "find-events": {
    readonly params: {
      readonly taskId: string | null;
      readonly after: number | string | null;
      readonly most: number | null;
      readonly mostBytes: number | null;
    };
    readonly row: {
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
      readonly found: Maybe<string>;
    };
  };
  readonly "find-finished-tasks": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: { readonly taskId: string };
  };
  readonly "find-fleet-facts": {
    readonly params: { readonly lanes: readonly (string | null)[] | null };
    readonly row: {
      readonly lanes: unknown;
      readonly waitLateness: Maybe<number>;
      readonly scheduleLateness: Maybe<number>;
      readonly notifications: Maybe<number>;
      readonly oldestNotificationAge: Maybe<number>;
      readonly enqueued: Maybe<number>;
      readonly oldestEnqueuedAge: Maybe<number>;
      readonly deadLetters: Maybe<number>;
      readonly newestDeadLetterAge: Maybe<number>;
      readonly breakers: unknown;
    };
  };
  readonly "find-payloads": {
    readonly params: {
      readonly most: number | null;
      readonly names: readonly (string | null)[] | null;
      readonly taskId: string | null;
    };
    readonly row: {
      readonly name: Maybe<string>;
      readonly payload: Maybe<string>;
      readonly faultDetail: string | null;
    };
  };
  readonly "find-task": {
    readonly params: {
      readonly mostBytes: number | null;
      readonly taskId: string | null;
      readonly tenant: string | null;
    };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly workflow: Maybe<string>;
      readonly goal: Maybe<string>;
      readonly processState: Maybe<string>;
      readonly version: Maybe<number>;
      readonly priority: Maybe<string>;
      readonly fairness: unknown;
      readonly faultCode: string | null;
      readonly key: string | null;
      readonly labels: unknown;
      readonly notBefore: Date | null;
      readonly createdAt: Maybe<Date>;
      readonly updatedAt: Maybe<Date>;
      readonly finishedAt: Date | null;
      readonly traceContext: string | null;
      readonly submittedBy: string | null;
      readonly bytes: Maybe<number>;
      readonly input: unknown;
      readonly paused: unknown;
      readonly steps: unknown;
    };
  };
  readonly "find-task-by-key": {
    readonly params: {
      readonly tenant: string | null;
      readonly family: string | null;
      readonly key: string | null;
    };
    readonly row: { readonly taskId: Maybe<string> };
  };
  readonly "find-tasks": {
    readonly params: {
      readonly by: string | null;
      readonly before: string | null;
      readonly from: string | null;
      readonly scan: number | string | null;
      readonly value: string | null;
      readonly label: string | null;
      readonly idFrom: string | null;
      readonly idTo: string | null;
      readonly tenant: string | null;
      readonly fingerprint: string | null;
      readonly fields: readonly (string | null)[] | null;
      readonly operators: readonly (string | null)[] | null;
      readonly operands: readonly (string | null)[] | null;
      readonly most: number | string | null;
      readonly countOnly: boolean | null;
      readonly idsOnly: boolean | null;
    };
    readonly row: {
      readonly items: unknown;
      readonly matches: Maybe<number>;
      readonly ids: unknown;
      readonly lastId: Maybe<string>;
    };
  };
  readonly "find-workflows-of": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: { readonly taskId: string; readonly workflow: string };
  };
}
