import type { Maybe } from "../maybe.ts";

/** What statements of sql/schedules take and return, as `npm run rows` finds it. */
export interface SchedulesStatements {
  readonly "delete-schedule": {
    readonly params: { readonly id: string | null };
    readonly row: { readonly id: string };
  };
  readonly "find-fires": {
    readonly params: {
      readonly id: string | null;
      readonly before: number | null;
      readonly most: number | null;
    };
    readonly row: {
      readonly schedule: string;
      readonly instant: Date;
      readonly outcome: string;
      readonly taskId: string | null;
      readonly actor: string | null;
      readonly reason: string | null;
      readonly at: Date;
      readonly number: Maybe<string>;
    };
  };
  readonly "find-schedules": {
    readonly params: {
      readonly id: string | null;
      readonly after: string | null;
      readonly most: number | null;
    };
    readonly row: {
      readonly id: string;
      readonly definition: unknown;
      readonly version: number;
      readonly nextInstant: Date | null;
      readonly buffered: Date | null;
      readonly lastTask: string | null;
      readonly failures: number;
      readonly skips: number;
      readonly pausedAt: Date | null;
      readonly pausedBy: string | null;
      readonly pauseReason: string | null;
      readonly createdAt: Date;
      readonly changedAt: Date;
      readonly changedBy: string;
    };
  };
  readonly "lock-due-schedules": {
    readonly params: {
      readonly latest: number | null;
      readonly zoneRules: string | null;
      readonly most: number | null;
    };
    readonly row: {
      readonly id: string;
      readonly definition: unknown;
      readonly version: number;
      readonly nextInstant: Maybe<number>;
      readonly buffered: Maybe<number>;
      readonly dealtWith: Maybe<number>;
      readonly failures: number;
      readonly skips: number;
      readonly zoneRules: string;
      readonly lastTask: string | null;
      readonly now: Maybe<number>;
      readonly last: Maybe<string>;
    };
  };
  readonly "lock-schedule": {
    readonly params: { readonly id: string | null };
    readonly row: {
      readonly id: string;
      readonly definition: unknown;
      readonly now: Maybe<number>;
    };
  };
  readonly "next-schedule": {
    readonly params: object;
    readonly row: { readonly nextIn: Maybe<number>; readonly now: Maybe<number> };
  };
  readonly "pause-schedule": {
    readonly params: {
      readonly id: string | null;
      readonly actor: string | null;
      readonly reason: string | null;
    };
    readonly row: { readonly id: string };
  };
  readonly "put-schedule": {
    readonly params: {
      readonly id: string | null;
      readonly definition: string | null;
      readonly nextInstant: number | null;
      readonly dueAt: number | null;
      readonly zoneRules: string | null;
      readonly actor: string | null;
    };
    readonly row: { readonly id: string };
  };
  readonly "resume-schedule": {
    readonly params: {
      readonly nextInstant: number | null;
      readonly dueAt: number | null;
      readonly zoneRules: string | null;
      readonly id: string | null;
    };
    readonly row: { readonly id: string };
  };
  readonly "save-fires": {
    readonly params: {
      readonly schedules: readonly (string | null)[] | null;
      readonly instants: readonly (number | null)[] | null;
      readonly outcomes: readonly (string | null)[] | null;
      readonly submissions: readonly (string | null)[] | null;
      readonly actor: string | null;
      readonly reason: string | null;
      readonly events: boolean | null;
    };
    readonly row: {
      readonly schedule: string;
      readonly instant: Maybe<number>;
      readonly outcome: string;
      readonly taskId: string | null;
    };
  };
  readonly "save-schedules": {
    readonly params: {
      readonly zoneRules: string | null;
      readonly actor: string | null;
      readonly ids: readonly (string | null)[] | null;
      readonly nextInstants: readonly (number | null)[] | null;
      readonly dueAts: readonly (number | null)[] | null;
      readonly buffereds: readonly (number | null)[] | null;
      readonly dealtWiths: readonly (number | null)[] | null;
      readonly lastTasks: readonly (string | null)[] | null;
      readonly failures: readonly (number | null)[] | null;
      readonly skips: readonly (number | null)[] | null;
      readonly troubles: readonly (string | null)[] | null;
    };
    readonly row: { readonly saved: Maybe<string>; readonly alerts: Maybe<number> };
  };
}
