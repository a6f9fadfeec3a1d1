import type { Maybe } from "../maybe.ts";

/** What statements of sql/statistics take and return, as `npm run rows` finds it. */
export interface StatisticsStatements {
  readonly "add-failures": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly fingerprints: readonly (string | null)[] | null;
      readonly halted: readonly (boolean | null)[] | null;
      readonly ats: readonly (number | null)[] | null;
      readonly groupFingerprints: readonly (string | null)[] | null;
      readonly workflows: readonly (string | null)[] | null;
      readonly groupSteps: readonly (string | null)[] | null;
      readonly faultCodes: readonly (string | null)[] | null;
      readonly messages: readonly (string | null)[] | null;
      readonly counts: readonly (number | string | null)[] | null;
      readonly firstAts: readonly (number | null)[] | null;
      readonly lastAts: readonly (number | null)[] | null;
    };
    readonly row: object;
  };
  readonly "add-statistics": {
    readonly params: {
      readonly resolutions: readonly (string | null)[] | null;
      readonly subjects: readonly (string | null)[] | null;
      readonly ats: readonly (number | null)[] | null;
      readonly submitted: readonly (number | string | null)[] | null;
      readonly processed: readonly (number | string | null)[] | null;
      readonly undone: readonly (number | string | null)[] | null;
      readonly halted: readonly (number | string | null)[] | null;
      readonly attempts: readonly (number | string | null)[] | null;
      readonly failedAttempts: readonly (number | string | null)[] | null;
      readonly undoneSteps: readonly (number | string | null)[] | null;
      readonly durations: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "delete-old-failures": {
    readonly params: {
      readonly batch: number | string | null;
      readonly mostGroups: number | string | null;
    };
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "delete-old-statistics": {
    readonly params: {
      readonly resolution: string | null;
      readonly keep: number | null;
      readonly batch: number | string | null;
    };
    readonly row: { readonly deleted: Maybe<number> };
  };
  readonly "find-failed-tasks": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: { readonly taskId: string };
  };
  readonly "find-failures": {
    readonly params: {
      readonly workflows: readonly (string | null)[] | null;
      readonly createdFrom: number | null;
      readonly scan: number | string | null;
      readonly isWhole: boolean | null;
      readonly from: string | null;
      readonly before: string | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly fingerprint: string;
      readonly workflow: string;
      readonly step: string;
      readonly faultCode: string;
      readonly message: string;
      readonly count: Maybe<number>;
      readonly hasMore: Maybe<boolean>;
      readonly open: Maybe<number>;
      readonly firstAt: Date;
      readonly lastAt: Date;
      readonly sample: Maybe<readonly string[]>;
    };
  };
  readonly "find-instances": {
    readonly params: { readonly silentAfter: number | null };
    readonly row: {
      readonly service: string;
      readonly instance: string;
      readonly version: string;
      readonly slots: number | null;
      readonly takesEnqueued: boolean;
      readonly startedAt: Date;
      readonly seenAt: Date;
      readonly living: Maybe<boolean>;
    };
  };
  readonly "find-new-events": {
    readonly params: {
      readonly firstEvent: number | string | null;
      readonly lastEvent: number | string | null;
      readonly months: readonly (string | null)[] | null;
      readonly gaps: string | null;
    };
    readonly row: {
      readonly id: Maybe<number>;
      readonly taskId: Maybe<string>;
      readonly workflow: Maybe<string>;
      readonly step: Maybe<string>;
      readonly action: Maybe<string>;
      readonly fromState: Maybe<string>;
      readonly toState: Maybe<string>;
      readonly reason: Maybe<string>;
      readonly at: Maybe<number>;
      readonly isUndo: Maybe<boolean>;
      readonly agent: Maybe<string>;
      readonly took: Maybe<number>;
      readonly detail: Maybe<string>;
      readonly isHalted: Maybe<boolean>;
    };
  };
  readonly "find-overview": {
    readonly params: { readonly most: number | null };
    readonly row: {
      readonly now: Maybe<Date>;
      readonly hasMore: Maybe<boolean>;
      readonly states: unknown;
      readonly rolledUpStates: unknown;
      readonly haltedSince: Maybe<Date>;
      readonly pausedTasks: Maybe<number>;
      readonly tasksPausedSince: Maybe<Date>;
      readonly deadLetters: Maybe<number>;
      readonly deadLettersSince: Maybe<Date>;
      readonly outboxFor: Maybe<number>;
      readonly pauses: unknown;
      readonly alerts: unknown;
    };
  };
  readonly "find-statistics": {
    readonly params: {
      readonly bucketMs: number | null;
      readonly subjects: readonly (string | null)[] | null;
      readonly resolution: string | null;
      readonly from: number | null;
      readonly until: number | null;
    };
    readonly row: {
      readonly at: Maybe<number>;
      readonly submitted: Maybe<number>;
      readonly processed: Maybe<number>;
      readonly undone: Maybe<number>;
      readonly halted: Maybe<number>;
      readonly attempts: Maybe<number>;
      readonly failedAttempts: Maybe<number>;
      readonly undoneSteps: Maybe<number>;
      readonly durations: unknown;
    };
  };
  readonly "find-statistics-progress": {
    readonly params: { readonly gapSpan: number | string | null };
    readonly row: {
      readonly countedTo: Maybe<number>;
      readonly countedAt: Date | null;
      readonly lastId: Maybe<number>;
      readonly hasGaps: Maybe<boolean>;
    };
  };
  readonly "find-statistics-totals": {
    readonly params: {
      readonly prefix: string | null;
      readonly isOne: boolean | null;
      readonly resolutions: readonly (string | null)[] | null;
      readonly froms: readonly (number | null)[] | null;
      readonly untils: readonly (number | null)[] | null;
    };
    readonly row: {
      readonly subject: Maybe<string>;
      readonly submitted: Maybe<number>;
      readonly processed: Maybe<number>;
      readonly undone: Maybe<number>;
      readonly halted: Maybe<number>;
      readonly attempts: Maybe<number>;
      readonly failedAttempts: Maybe<number>;
      readonly undoneSteps: Maybe<number>;
      readonly durations: unknown;
    };
  };
  readonly "find-statistics-turn": {
    readonly params: {
      readonly gapSpan: number | string | null;
      readonly mostGaps: number | string | null;
    };
    readonly row: {
      readonly countedTo: Maybe<number>;
      readonly lastId: Maybe<number>;
      readonly openMonths: Maybe<readonly string[]>;
      readonly months: Maybe<readonly string[]>;
      readonly nextXid: Maybe<string>;
      readonly gaps: unknown;
    };
  };
  readonly "lock-statistics-progress": {
    readonly params: object;
    readonly row: { readonly isLocked: Maybe<boolean> };
  };
  readonly "save-instance": {
    readonly params: {
      readonly service: string | null;
      readonly instance: string | null;
      readonly version: string | null;
      readonly slots: number | null;
      readonly takesEnqueued: boolean | null;
      readonly inboxChannel: string | null;
      readonly takesUnknownVersions: boolean | null;
      readonly format: number | null;
    };
    readonly row: object;
  };
  readonly "save-statistics-progress": {
    readonly params: {
      readonly doneGaps: readonly (number | string | null)[] | null;
      readonly gapFroms: readonly (number | string | null)[] | null;
      readonly gapTos: readonly (number | string | null)[] | null;
      readonly gapUntils: readonly (string | null)[] | null;
      readonly countedTo: number | string | null;
      readonly months: readonly (string | null)[] | null;
      readonly pending: number | string | null;
      readonly processing: number | string | null;
      readonly undoing: number | string | null;
      readonly halted: number | string | null;
    };
    readonly row: object;
  };
  readonly "update-halted-failures": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly halted: readonly (boolean | null)[] | null;
    };
    readonly row: object;
  };
}
