import type { Maybe } from "../maybe.ts";

/** What statements of sql/apply take and return, as `npm run rows` finds it. */
export interface ApplyStatements {
  readonly "insert-rejected-replies": {
    readonly params: {
      readonly bodies: Buffer | null;
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
      readonly attempts: readonly (number | null)[] | null;
      readonly reasons: readonly (string | null)[] | null;
      readonly senders: readonly (string | null)[] | null;
      readonly lengths: readonly (number | null)[] | null;
    };
    readonly row: object;
  };
  readonly "insert-steps": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly kinds: readonly (string | null)[] | null;
      readonly lanes: readonly (string | null)[] | null;
      readonly agents: readonly (string | null)[] | null;
      readonly bands: readonly (number | null)[] | null;
      readonly states: readonly (string | null)[] | null;
      readonly ranks: readonly (number | null)[] | null;
      readonly notBefores: readonly (number | null)[] | null;
      readonly admitted: readonly (boolean | null)[] | null;
      readonly startWithins: readonly (number | null)[] | null;
      readonly completeWithins: readonly (number | null)[] | null;
      readonly extendUpTos: readonly (number | null)[] | null;
      readonly formats: readonly (number | null)[] | null;
      readonly faultCodes: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "load-steps": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: {
      readonly taskId: string;
      readonly name: string;
      readonly agent: string | null;
      readonly processState: string;
      readonly lockedBy: string | null;
      readonly token: string | null;
      readonly attempt: number;
      readonly failureCount: number;
      readonly requeueCount: number;
      readonly coolDowns: number;
      readonly keyGeneration: number;
      readonly admitted: boolean;
      readonly mayHaveEffect: boolean;
      readonly faultCode: string | null;
      readonly confirmed: Maybe<boolean>;
      readonly resent: boolean;
      readonly notBefore: Maybe<number>;
      readonly startBy: Maybe<number>;
      readonly completeBy: Maybe<number>;
      readonly now: Maybe<number>;
    };
  };
  readonly "load-undone-steps": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: {
      readonly taskId: string;
      readonly name: string;
      readonly processState: string;
      readonly keyGeneration: number;
      readonly attempt: number;
    };
  };
  readonly "load-values": {
    readonly params: {
      readonly most: number | null;
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly mostBytes: number | null;
    };
    readonly row: {
      readonly taskId: Maybe<string>;
      readonly name: Maybe<string>;
      readonly value: unknown;
      readonly correctedInput: unknown;
      readonly hasCorrectedInput: Maybe<boolean>;
      readonly bytes: Maybe<number>;
      readonly fits: Maybe<boolean>;
    };
  };
  readonly "lock-free-tasks": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly format: number | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly workflow: string;
      readonly goal: string;
      readonly processState: string;
      readonly version: number;
      readonly priority: string;
      readonly fairnessKey: string | null;
      readonly faultCode: string | null;
      readonly paused: Maybe<boolean>;
      readonly pausedAt: Maybe<number>;
      readonly beginAt: Maybe<number>;
      readonly replyTo: string | null;
      readonly correlationId: string | null;
      readonly traceContext: string | null;
    };
  };
  readonly "lock-pending-steps": {
    readonly params: { readonly taskIds: readonly (string | null)[] | null };
    readonly row: { readonly taskId: string };
  };
  readonly "lock-tasks": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly format: number | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly workflow: string;
      readonly goal: string;
      readonly processState: string;
      readonly version: number;
      readonly priority: string;
      readonly fairnessKey: string | null;
      readonly faultCode: string | null;
      readonly paused: Maybe<boolean>;
      readonly pausedAt: Maybe<number>;
      readonly beginAt: Maybe<number>;
      readonly replyTo: string | null;
      readonly correlationId: string | null;
      readonly traceContext: string | null;
    };
  };
  readonly "pause-unusable-workflows": {
    readonly params: {
      readonly actor: string | null;
      readonly names: readonly (string | null)[] | null;
      readonly reasons: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "read-tasks": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly format: number | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly workflow: string;
      readonly goal: string;
      readonly processState: string;
      readonly version: number;
      readonly priority: string;
      readonly fairnessKey: string | null;
      readonly faultCode: string | null;
      readonly paused: Maybe<boolean>;
      readonly pausedAt: Maybe<number>;
      readonly beginAt: Maybe<number>;
      readonly replyTo: string | null;
      readonly correlationId: string | null;
      readonly traceContext: string | null;
    };
  };
  readonly "save-decisions": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly versions: readonly (number | null)[] | null;
      readonly goals: readonly (string | null)[] | null;
      readonly taskStates: readonly (string | null)[] | null;
      readonly taskFaults: readonly (string | null)[] | null;
      readonly finished: readonly (boolean | null)[] | null;
      readonly paused: readonly (boolean | null)[] | null;
      readonly actor: string | null;
      readonly note: string | null;
      readonly stepTaskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly fromStates: readonly (string | null)[] | null;
      readonly attempts: readonly (number | null)[] | null;
      readonly tokens: readonly (string | null)[] | null;
      readonly lanes: readonly (string | null)[] | null;
      readonly states: readonly (string | null)[] | null;
      readonly ranks: readonly (number | null)[] | null;
      readonly notBefores: readonly (number | null)[] | null;
      readonly failureCounts: readonly (number | null)[] | null;
      readonly requeueCounts: readonly (number | null)[] | null;
      readonly coolDowns: readonly (number | null)[] | null;
      readonly keyGenerations: readonly (number | null)[] | null;
      readonly admitted: readonly (boolean | null)[] | null;
      readonly mayHaveEffects: readonly (boolean | null)[] | null;
      readonly faultCodes: readonly (string | null)[] | null;
      readonly eventTaskIds: readonly (string | null)[] | null;
      readonly eventSteps: readonly (string | null)[] | null;
      readonly eventActions: readonly (string | null)[] | null;
      readonly eventFroms: readonly (string | null)[] | null;
      readonly eventTos: readonly (string | null)[] | null;
      readonly eventAttempts: readonly (number | null)[] | null;
      readonly eventReasons: readonly (string | null)[] | null;
    };
    readonly row: { readonly savedTasks: Maybe<string>; readonly savedSteps: Maybe<string> };
  };
  readonly "save-outcomes": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly inputs: readonly (string | null)[] | null;
      readonly outputs: readonly (string | null)[] | null;
      readonly faultDetails: readonly (string | null)[] | null;
    };
    readonly row: object;
  };
  readonly "set-unusable-tasks-aside": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly reasons: readonly (string | null)[] | null;
      readonly alone: readonly (boolean | null)[] | null;
      readonly stepTaskIds: readonly (string | null)[] | null;
      readonly names: readonly (string | null)[] | null;
      readonly attempts: readonly (number | null)[] | null;
      readonly tokens: readonly (string | null)[] | null;
      readonly actor: string | null;
    };
    readonly row: object;
  };
}
