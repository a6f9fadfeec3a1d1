import type { Maybe } from "../maybe.ts";

/** What statements of sql/bulk take and return, as `npm run rows` finds it. */
export interface BulkStatements {
  readonly "find-applied-items": {
    readonly params: {
      readonly id: string | null;
      readonly after: number | null;
      readonly batch: number | string | null;
    };
    readonly row: {
      readonly number: number;
      readonly taskId: string;
      readonly step: string | null;
      readonly appliedVersion: number | null;
    };
  };
  readonly "find-bulk-by-key": {
    readonly params: {
      readonly most: number | string | null;
      readonly tenant: string | null;
      readonly key: string | null;
    };
    readonly row: { readonly known: unknown; readonly open: Maybe<number> };
  };
  readonly "find-bulk-items": {
    readonly params: {
      readonly outcome: string | null;
      readonly id: string | null;
      readonly after: number | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly number: Maybe<number>;
      readonly taskId: Maybe<string>;
      readonly outcome: Maybe<string>;
      readonly code: Maybe<string>;
      readonly step: Maybe<string>;
      readonly at: Maybe<Date>;
    };
  };
  readonly "find-bulk-operation": {
    readonly params: { readonly tenant: string | null; readonly id: string | null };
    readonly row: {
      readonly id: string;
      readonly action: string;
      readonly step: string | null;
      readonly patch: unknown;
      readonly filter: unknown;
      readonly actor: string;
      readonly reason: string;
      readonly at: Date;
      readonly state: string;
      readonly matched: number;
      readonly waiting: number;
      readonly applied: number;
      readonly refused: number;
      readonly succeeded: number;
      readonly failedAgain: number;
      readonly canary: number;
      readonly rate: number;
      readonly stoppedBy: string | null;
      readonly stopReason: string | null;
      readonly endedAt: Date | null;
    };
  };
  readonly "find-bulk-operations": {
    readonly params: {
      readonly before: string | null;
      readonly tenant: string | null;
      readonly most: number | string | null;
    };
    readonly row: {
      readonly id: string;
      readonly action: string;
      readonly step: string | null;
      readonly patch: unknown;
      readonly filter: unknown;
      readonly actor: string;
      readonly reason: string;
      readonly at: Date;
      readonly state: string;
      readonly matched: number;
      readonly waiting: number;
      readonly applied: number;
      readonly refused: number;
      readonly succeeded: number;
      readonly failedAgain: number;
      readonly canary: number;
      readonly rate: number;
      readonly stoppedBy: string | null;
      readonly stopReason: string | null;
      readonly endedAt: Date | null;
    };
  };
  readonly "find-bulk-steps": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly name: string;
      readonly processState: string;
      readonly faultCode: string | null;
    };
  };
  readonly "find-bulk-tasks": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: {
      readonly taskId: string;
      readonly version: number;
      readonly goal: string;
      readonly processState: string;
      readonly faultCode: string | null;
    };
  };
  readonly "find-bulk-work": {
    readonly params: object;
    readonly row: {
      readonly id: string;
      readonly action: string;
      readonly state: string;
      readonly canary: number;
      readonly waiting: number;
      readonly applied: number;
      readonly refused: number;
      readonly succeeded: number;
      readonly failedAgain: number;
      readonly rate: number;
      readonly pacedFrom: Maybe<number>;
      readonly now: Maybe<number>;
    };
  };
  readonly "insert-bulk-items": {
    readonly params: {
      readonly id: string | null;
      readonly numbers: readonly (number | null)[] | null;
      readonly taskIds: readonly (string | null)[] | null;
      readonly versions: readonly (number | null)[] | null;
    };
    readonly row: object;
  };
  readonly "insert-bulk-operation": {
    readonly params: {
      readonly tenant: string | null;
      readonly action: string | null;
      readonly step: string | null;
      readonly output: string | null;
      readonly patch: string | null;
      readonly filter: string | null;
      readonly actor: string | null;
      readonly reason: string | null;
      readonly key: string | null;
      readonly hash: string | null;
      readonly canary: number | null;
      readonly rate: number | null;
      readonly state: string | null;
      readonly matched: number | null;
    };
    readonly row: { readonly id: string };
  };
  readonly "lock-bulk-creation": {
    readonly params: object;
    readonly row: { readonly locked: Maybe<boolean> };
  };
  readonly "lock-bulk-operation": {
    readonly params: { readonly id: string | null };
    readonly row: {
      readonly id: string;
      readonly action: string;
      readonly step: string | null;
      readonly output: unknown;
      readonly hasOutput: Maybe<boolean>;
      readonly patch: unknown;
      readonly actor: string;
      readonly reason: string;
      readonly state: string;
      readonly canary: number;
      readonly waiting: number;
      readonly applied: number;
      readonly refused: number;
      readonly succeeded: number;
      readonly failedAgain: number;
      readonly rate: number;
      readonly pacedFrom: Maybe<number>;
      readonly now: Maybe<number>;
    };
  };
  readonly "save-bulk-items": {
    readonly params: {
      readonly numbers: readonly (number | null)[] | null;
      readonly outcomes: readonly (string | null)[] | null;
      readonly codes: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly attempts: readonly (number | null)[] | null;
      readonly appliedVersions: readonly (number | null)[] | null;
      readonly id: string | null;
      readonly before: string | null;
    };
    readonly row: { readonly outcome: string };
  };
  readonly "save-bulk-progress": {
    readonly params: {
      readonly state: string | null;
      readonly waiting: number | null;
      readonly applied: number | null;
      readonly refused: number | null;
      readonly succeeded: number | null;
      readonly failedAgain: number | null;
      readonly pacedFrom: number | null;
      readonly stoppedBy: string | null;
      readonly stopReason: string | null;
      readonly id: string | null;
    };
    readonly row: object;
  };
  readonly "stop-bulk-operation": {
    readonly params: {
      readonly actor: string | null;
      readonly reason: string | null;
      readonly tenant: string | null;
      readonly id: string | null;
    };
    readonly row: { readonly id: string };
  };
  readonly "take-bulk-items": {
    readonly params: {
      readonly id: string | null;
      readonly after: number | null;
      readonly most: number | string | null;
    };
    readonly row: { readonly number: number; readonly taskId: string };
  };
}
