import type { Maybe } from "../maybe.ts";

/** What statements of sql/inspect take and return, as `npm run rows` finds it. */
export interface InspectStatements {
  readonly "count-paused-tasks": {
    readonly params: object;
    readonly row: { readonly tasks: Maybe<number> };
  };
  readonly "count-unsent-notifications": {
    readonly params: { readonly within: number | null; readonly longerThan: number | null };
    readonly row: { readonly undelivered: Maybe<number>; readonly unsent: Maybe<number> };
  };
  readonly "find-agent-needs": {
    readonly params: { readonly keptBelow: number | null };
    readonly row: {
      readonly agent: Maybe<string>;
      readonly workflows: Maybe<readonly string[]>;
      readonly longest: Maybe<number>;
      readonly longestStep: Maybe<string>;
      readonly openSteps: Maybe<number>;
      readonly living: Maybe<number>;
      readonly resting: Maybe<number>;
      readonly restingUntil: Maybe<number>;
      readonly lastSeen: Maybe<number>;
      readonly announces: Maybe<boolean>;
    };
  };
  readonly "find-clock-advance": {
    readonly params: object;
    readonly row: { readonly ahead: Maybe<number> };
  };
  readonly "find-clock-facts": {
    readonly params: object;
    readonly row: {
      readonly trustedAt: Maybe<number>;
      readonly aheadSince: Maybe<number>;
      readonly latest: Maybe<number>;
      readonly now: Maybe<number>;
    };
  };
  readonly "find-enqueued-facts": {
    readonly params: { readonly taskId: string | null };
    readonly row: {
      readonly submitter: Maybe<string>;
      readonly workflow: Maybe<string>;
      readonly waitingFor: Maybe<number>;
      readonly code: Maybe<string>;
      readonly detail: Maybe<string>;
    };
  };
  readonly "find-inbox": {
    readonly params: { readonly within: number | null };
    readonly row: {
      readonly waiting: Maybe<number>;
      readonly waitingFor: Maybe<number>;
      readonly refused: unknown;
    };
  };
  readonly "find-invariant-violations": {
    readonly params: { readonly batch: number | string | null };
    readonly row: {
      readonly invariant: Maybe<string>;
      readonly taskId: Maybe<string>;
      readonly witness: Maybe<string>;
    };
  };
  readonly "find-lane-facts": {
    readonly params: { readonly taskId: string | null };
    readonly row: {
      readonly agent: Maybe<string>;
      readonly inFlight: Maybe<number>;
      readonly paused: unknown;
      readonly instances: Maybe<number>;
      readonly slots: Maybe<readonly number[]>;
      readonly broken: Maybe<number>;
      readonly brokenUntil: Maybe<number>;
      readonly lastSeen: Maybe<number>;
      readonly announces: Maybe<boolean>;
      readonly breaker: unknown;
    };
  };
  readonly "find-late-waits": {
    readonly params: object;
    readonly row: {
      readonly kind: Maybe<string>;
      readonly waits: Maybe<number>;
      readonly dueAt: Maybe<Date>;
      readonly deadline: Maybe<Date>;
      readonly taskId: Maybe<string>;
      readonly step: Maybe<string>;
    };
  };
  readonly "find-losses": {
    readonly params: {
      readonly within: number | null;
      readonly everyday: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly kind: Maybe<string>;
      readonly from: Maybe<string>;
      readonly reason: Maybe<string>;
      readonly messages: Maybe<number>;
      readonly latest: Maybe<Date>;
    };
  };
  readonly "find-lowest-id": {
    readonly params: { readonly within: number | null };
    readonly row: { readonly after: Maybe<string> };
  };
  readonly "find-migrations": {
    readonly params: object;
    readonly row: { readonly name: string };
  };
  readonly "find-outages-in-force": {
    readonly params: object;
    readonly row: { readonly part: string; readonly since: Maybe<number> };
  };
  readonly "find-partition-sizes": {
    readonly params: object;
    readonly row: {
      readonly name: Maybe<string>;
      readonly firstDay: Maybe<string>;
      readonly endDay: Maybe<string>;
      readonly rowCount: Maybe<number>;
      readonly bytes: Maybe<number>;
    };
  };
  readonly "find-partitions": {
    readonly params: object;
    readonly row: { readonly months: Maybe<number>; readonly hasNext: Maybe<boolean> };
  };
  readonly "find-pauses-in-force": {
    readonly params: object;
    readonly row: {
      readonly kind: string;
      readonly name: string;
      readonly actor: string;
      readonly reason: string;
      readonly pausedAt: Date;
    };
  };
  readonly "find-schedule-troubles": {
    readonly params: { readonly blockedAfter: number | null };
    readonly row: {
      readonly kind: Maybe<string>;
      readonly schedules: Maybe<number>;
      readonly since: Maybe<Date>;
      readonly id: Maybe<string>;
      readonly lastTask: Maybe<string>;
    };
  };
  readonly "find-server-facts": {
    readonly params: object;
    readonly row: {
      readonly version: Maybe<string>;
      readonly major: Maybe<number>;
      readonly isStandby: Maybe<boolean>;
      readonly autovacuum: Maybe<boolean>;
      readonly trackCounts: Maybe<boolean>;
      readonly fsync: Maybe<boolean>;
      readonly fullPageWrites: Maybe<boolean>;
      readonly synchronousCommit: Maybe<string>;
      readonly encoding: Maybe<string>;
      readonly places: Maybe<number>;
      readonly connections: Maybe<number>;
      readonly seesAllSessions: Maybe<boolean>;
      readonly now: Maybe<number>;
    };
  };
  readonly "find-stalled-consumers": {
    readonly params: { readonly heardWithin: number | null };
    readonly row: {
      readonly instance: string;
      readonly queue: string;
      readonly messages: number;
      readonly failures: number;
      readonly error: string;
      readonly forMs: Maybe<number>;
    };
  };
  readonly "find-step-facts": {
    readonly params: { readonly taskId: string | null };
    readonly row: {
      readonly name: Maybe<string>;
      readonly kind: Maybe<string>;
      readonly agent: Maybe<string>;
      readonly processState: Maybe<string>;
      readonly attempt: Maybe<number>;
      readonly failureCount: Maybe<number>;
      readonly requeueCount: Maybe<number>;
      readonly admitted: Maybe<boolean>;
      readonly faultCode: string | null;
      readonly faultDetail: string | null;
      readonly lockedBy: string | null;
      readonly confirmed: Maybe<boolean>;
      readonly startBy: Maybe<number>;
      readonly completeBy: Maybe<number>;
      readonly startedAt: Maybe<number>;
      readonly heartbeatAt: Maybe<number>;
      readonly progress: unknown;
      readonly notBefore: Maybe<number>;
      readonly band: Maybe<number>;
      readonly fairnessKey: string | null;
      readonly fairnessWeight: Maybe<number>;
      readonly dueBefore: unknown;
      readonly keysBefore: unknown;
      readonly approvals: Maybe<number>;
      readonly lastAction: Maybe<string>;
      readonly lastReason: string | null;
      readonly lastActor: Maybe<string>;
      readonly since: Maybe<number>;
    };
  };
  readonly "find-submitted": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly workflow: Maybe<string>;
      readonly state: Maybe<string>;
      readonly faultCode: Maybe<string>;
    };
  };
  readonly "find-task-facts": {
    readonly params: { readonly taskId: string | null };
    readonly row: {
      readonly workflow: Maybe<string>;
      readonly goal: Maybe<string>;
      readonly processState: Maybe<string>;
      readonly faultCode: string | null;
      readonly createdAt: Maybe<number>;
      readonly finishedAt: Maybe<number>;
      readonly completeBy: Maybe<number>;
      readonly paused: unknown;
      readonly workflowPaused: unknown;
      readonly activated: unknown;
      readonly now: Maybe<number>;
    };
  };
  readonly "find-task-range": {
    readonly params: { readonly size: number | string | null; readonly after: string | null };
    readonly row: { readonly tasks: Maybe<number>; readonly upto: Maybe<string> };
  };
  readonly "find-unproven-paths": {
    readonly params: object;
    readonly row: {
      readonly queue: string;
      readonly trouble: string | null;
      readonly silentSince: Maybe<number>;
    };
  };
  readonly "find-unread-formats": {
    readonly params: { readonly silentAfter: number | null };
    readonly row: {
      readonly service: string;
      readonly instance: string;
      readonly version: string;
      readonly workflows: Maybe<number>;
      readonly workflow: Maybe<string>;
    };
  };
  readonly "find-unusable-tasks": {
    readonly params: {
      readonly actor: string | null;
      readonly workflows: readonly (string | null)[] | null;
      readonly batch: number | string | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly workflow: string;
      readonly pauseReason: string | null;
    };
  };
  readonly "find-unvacuumed-tables": {
    readonly params: { readonly moreThan: number | null };
    readonly row: {
      readonly name: string;
      readonly dead: Maybe<number>;
      readonly live: Maybe<number>;
      readonly isOff: Maybe<boolean>;
    };
  };
  readonly "find-violations-between": {
    readonly params: {
      readonly after: string | null;
      readonly upto: string | null;
      readonly batch: number | string | null;
    };
    readonly row: {
      readonly invariant: Maybe<string>;
      readonly taskId: Maybe<string>;
      readonly witness: Maybe<string>;
    };
  };
  readonly "find-xmin-holders": {
    readonly params: { readonly longerThan: number | null; readonly furtherThan: number | null };
    readonly row: {
      readonly kind: Maybe<string>;
      readonly name: Maybe<string>;
      readonly detail: Maybe<string>;
      readonly openFor: Maybe<number>;
    };
  };
  readonly "save-stalled-consumers": {
    readonly params: {
      readonly queues: readonly (string | null)[] | null;
      readonly messages: readonly (number | null)[] | null;
      readonly failures: readonly (number | null)[] | null;
      readonly forMs: readonly (number | null)[] | null;
      readonly errors: readonly (string | null)[] | null;
      readonly instance: string | null;
    };
    readonly row: object;
  };
}
