import type { Maybe } from "../maybe.ts";

/** What statements of sql/claim take and return, as `npm run rows` finds it. */
export interface ClaimStatements {
  readonly "claim-due-steps": {
    readonly params: {
      readonly lanes: readonly (string | null)[] | null;
      readonly agents: readonly (string | null)[] | null;
      readonly slots: readonly (number | null)[] | null;
      readonly reserved: readonly (number | null)[] | null;
      readonly spanLanes: readonly (string | null)[] | null;
      readonly spanLows: readonly (number | null)[] | null;
      readonly spanFroms: readonly (number | null)[] | null;
      readonly spanHighs: readonly (number | null)[] | null;
      readonly spanTos: readonly (number | null)[] | null;
      readonly format: number | null;
      readonly lockedBy: string | null;
      readonly resendAfter: number | null;
    };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly name: Maybe<string>;
      readonly lane: Maybe<string>;
      readonly agent: Maybe<string>;
      readonly attempt: Maybe<number>;
      readonly token: string | null;
      readonly startBy: Maybe<number>;
      readonly completeBy: Maybe<number>;
      readonly now: Maybe<number>;
      readonly keyGeneration: Maybe<number>;
      readonly workflow: Maybe<string>;
      readonly priority: Maybe<string>;
      readonly fairnessKey: string | null;
      readonly replyTo: string | null;
      readonly correlationId: string | null;
      readonly traceContext: string | null;
      readonly version: Maybe<number>;
      readonly taskInput: unknown;
    };
  };
  readonly "close-fairness-gaps": {
    readonly params: {
      readonly lane: string | null;
      readonly band: number | null;
      readonly key: string | null;
    };
    readonly row: { readonly moved: unknown; readonly last: unknown };
  };
  readonly "confirm-requests": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly attempts: readonly (number | null)[] | null;
    };
    readonly row: object;
  };
  readonly "count-steps-in-flight": {
    readonly params: { readonly lockedBy: string | null };
    readonly row: {
      readonly lane: Maybe<string>;
      readonly inFlight: Maybe<number>;
      readonly own: Maybe<number>;
      readonly urgent: Maybe<number>;
    };
  };
  readonly "find-agent-slots": {
    readonly params: object;
    readonly row: {
      readonly lane: string;
      readonly busy: Maybe<number>;
      readonly slots: Maybe<readonly number[]>;
    };
  };
  readonly "find-announcing-instances": {
    readonly params: { readonly agents: readonly (string | null)[] | null };
    readonly row: {
      readonly agent: string;
      readonly name: string;
      readonly operations: readonly string[] | null;
      readonly contracts: readonly string[] | null;
    };
  };
  readonly "find-unavailable-agents": {
    readonly params: object;
    readonly row: { readonly agent: Maybe<string> };
  };
  readonly "rank-fair-steps": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly lane: Maybe<string>;
      readonly band: Maybe<number>;
      readonly rank: Maybe<number>;
    };
  };
  readonly "save-attempt-signs": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly attempts: readonly (number | null)[] | null;
      readonly tokens: readonly (string | null)[] | null;
      readonly agents: readonly (string | null)[] | null;
      readonly runningFors: readonly (number | null)[] | null;
      readonly beats: readonly (boolean | null)[] | null;
      readonly progresses: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "save-heartbeats": {
    readonly params: {
      readonly agents: readonly (string | null)[] | null;
      readonly instances: readonly (string | null)[] | null;
      readonly capacities: readonly (number | null)[] | null;
      readonly inFlights: readonly (number | null)[] | null;
      readonly breakers: readonly (string | null)[] | null;
      readonly openFors: readonly (number | null)[] | null;
      readonly livesFors: readonly (number | null)[] | null;
      readonly operations: readonly (string | null)[] | null;
      readonly contracts: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "stage-due-steps": {
    readonly params: { readonly since: number | null; readonly format: number | null };
    readonly row: {
      readonly readBefore: Maybe<number>;
      readonly due: unknown;
      readonly promoted: unknown;
      readonly fair: unknown;
      readonly isFull: Maybe<boolean>;
      readonly nextIn: Maybe<number>;
      readonly resendIn: Maybe<number>;
      readonly hasNotifications: Maybe<boolean>;
      readonly hasPauses: Maybe<boolean>;
      readonly hasBreakers: Maybe<boolean>;
      readonly readAfter: Maybe<number>;
      readonly now: Maybe<number>;
      readonly took: Maybe<number>;
    };
  };
  readonly "take-unconfirmed-steps": {
    readonly params: {
      readonly resendAfter: number | null;
      readonly heldTaskIds: readonly (string | null)[] | null;
      readonly heldNames: readonly (string | null)[] | null;
      readonly heldAttempts: readonly (number | null)[] | null;
      readonly format: number | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly name: string;
      readonly lane: string;
      readonly agent: Maybe<string>;
      readonly attempt: number;
      readonly token: string | null;
      readonly startBy: Maybe<number>;
      readonly completeBy: Maybe<number>;
      readonly now: Maybe<number>;
      readonly keyGeneration: number;
      readonly workflow: string;
      readonly priority: string;
      readonly traceContext: string | null;
      readonly taskInput: unknown;
    };
  };
  readonly "unconfirm-steps": {
    readonly params: { readonly format: number | null };
    readonly row: { readonly steps: Maybe<number> };
  };
}
