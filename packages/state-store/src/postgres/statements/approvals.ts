import type { Maybe } from "../maybe.ts";

/** What statements of sql/approvals take and return, as `npm run rows` finds it. */
export interface ApprovalsStatements {
  readonly "find-approvals": {
    readonly params: {
      readonly audiences: readonly (string | null)[] | null;
      readonly undecidedBy: string | null;
      readonly ofTask: string | null;
      readonly afterTask: string | null;
      readonly afterStep: string | null;
      readonly most: number | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly step: string;
      readonly workflow: string;
      readonly businessKey: string | null;
      readonly submittedBy: string | null;
      readonly audience: string | null;
      readonly openedAt: Maybe<number>;
      readonly deadline: Maybe<number>;
      readonly isPaused: Maybe<boolean>;
    };
  };
  readonly "find-decisions": {
    readonly params: {
      readonly taskIds: readonly (string | null)[] | null;
      readonly steps: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly taskId: string;
      readonly step: string;
      readonly id: string;
      readonly name: string;
      readonly decision: string;
      readonly reason: string | null;
      readonly form: unknown;
      readonly at: Maybe<number>;
    };
  };
  readonly "lock-approval": {
    readonly params: { readonly taskId: string | null; readonly step: string | null };
    readonly row: {
      readonly state: Maybe<string>;
      readonly faultCode: Maybe<string>;
      readonly isOver: Maybe<boolean>;
    };
  };
  readonly "save-decision": {
    readonly params: {
      readonly taskId: string | null;
      readonly step: string | null;
      readonly actor: string | null;
      readonly name: string | null;
      readonly decision: string | null;
      readonly reason: string | null;
      readonly form: string | null;
      readonly decides: boolean | null;
    };
    readonly row: { readonly at: Maybe<number> };
  };
}
