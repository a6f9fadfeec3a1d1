import type { Maybe } from "../maybe.ts";

/** What statements of sql/workflows take and return, as `npm run rows` finds it. */
export interface WorkflowsStatements {
  readonly "activate-workflow": {
    readonly params: {
      readonly name: string | null;
      readonly actor: string | null;
      readonly reason: string | null;
      readonly asAwaited: boolean | null;
    };
    readonly row: { readonly isActivated: Maybe<boolean> };
  };
  readonly "endorse-workflow": {
    readonly params: { readonly name: string | null };
    readonly row: object;
  };
  readonly "find-active-versions": {
    readonly params: { readonly names: readonly (string | null)[] | null };
    readonly row: { readonly name: string };
  };
  readonly "find-awaiting-workflows": {
    readonly params: object;
    readonly row: { readonly name: string; readonly storedBy: string | null };
  };
  readonly "find-contract-differences": {
    readonly params: {
      readonly workflows: readonly (string | null)[] | null;
      readonly format: number | null;
    };
    readonly row: {
      readonly workflow: Maybe<string>;
      readonly isRetired: Maybe<boolean>;
      readonly agent: Maybe<string>;
      readonly operation: Maybe<string>;
      readonly needed: Maybe<string>;
      readonly offered: Maybe<string>;
      readonly instances: Maybe<number>;
      readonly names: Maybe<readonly string[]>;
      readonly knownBy: Maybe<string>;
      readonly isLater: Maybe<boolean>;
    };
  };
  readonly "find-known-agents": {
    readonly params: object;
    readonly row: {
      readonly agent: string;
      readonly knownFor: Maybe<number>;
      readonly isSilent: Maybe<boolean>;
      readonly operations: Maybe<readonly string[]>;
    };
  };
  readonly "find-lanes": {
    readonly params: { readonly format: number | null };
    readonly row: { readonly lane: Maybe<string> };
  };
  readonly "find-older-instances": {
    readonly params: { readonly silentAfter: number | null; readonly format: number | null };
    readonly row: { readonly service: string; readonly instance: string; readonly version: string };
  };
  readonly "find-other-contracts": {
    readonly params: {
      readonly contracts: string | null;
      readonly name: string | null;
      readonly format: number | null;
    };
    readonly row: { readonly operation: Maybe<string>; readonly workflow: string };
  };
  readonly "find-unendorsed-workflow": {
    readonly params: { readonly name: string | null };
    readonly row: { readonly name: string };
  };
  readonly "find-unusable-workflows": {
    readonly params: { readonly actor: string | null };
    readonly row: { readonly name: string };
  };
  readonly "find-workflow": {
    readonly params: { readonly mostBytes: number | null; readonly name: string | null };
    readonly row: {
      readonly definition: unknown;
      readonly bytes: Maybe<number>;
      readonly contentHash: string;
      readonly contracts: unknown;
    };
  };
  readonly "find-workflow-names": {
    readonly params: object;
    readonly row: { readonly name: string };
  };
  readonly "find-workflows": {
    readonly params: object;
    readonly row: {
      readonly name: string;
      readonly createdAt: Date;
      readonly storedBy: string | null;
      readonly retiredAt: Date | null;
      readonly retiredBy: string | null;
      readonly retiredReason: string | null;
      readonly byOperators: boolean;
      readonly isActive: boolean;
      readonly activatedAt: Date | null;
      readonly activatedBy: string | null;
      readonly activatedReason: string | null;
      readonly awaitsAgents: boolean;
      readonly collections: Maybe<readonly string[]>;
    };
  };
  readonly "insert-workflow": {
    readonly params: {
      readonly name: string | null;
      readonly contentHash: string | null;
      readonly format: number | null;
      readonly definition: string | null;
      readonly contracts: string | null;
      readonly storedBy: string | null;
      readonly awaitsAgents: boolean | null;
    };
    readonly row: { readonly name: string };
  };
  readonly "lock-remotes": {
    readonly params: object;
    readonly row: { readonly locked: Maybe<boolean> };
  };
  readonly "reinstate-workflow": {
    readonly params: { readonly name: string | null };
    readonly row: { readonly name: string };
  };
  readonly "retire-workflow": {
    readonly params: {
      readonly actor: string | null;
      readonly reason: string | null;
      readonly name: string | null;
    };
    readonly row: { readonly name: string };
  };
  readonly "take-collection": {
    readonly params: { readonly collection: string | null; readonly family: string | null };
    readonly row: { readonly family: string };
  };
  readonly "take-remotes": {
    readonly params: {
      readonly agents: readonly (string | null)[] | null;
      readonly services: readonly (string | null)[] | null;
      readonly sharesKeys: readonly (boolean | null)[] | null;
      readonly name: string | null;
    };
    readonly row: {
      readonly agent: Maybe<string>;
      readonly service: Maybe<string>;
      readonly sharesKeys: Maybe<boolean>;
      readonly workflow: Maybe<string>;
    };
  };
}
