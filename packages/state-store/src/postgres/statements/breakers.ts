import type { Maybe } from "../maybe.ts";

/** What statements of sql/breakers take and return, as `npm run rows` finds it. */
export interface BreakersStatements {
  readonly "begin-probe": {
    readonly params: {
      readonly taskId: string | null;
      readonly step: string | null;
      readonly token: string | null;
      readonly service: string | null;
    };
    readonly row: object;
  };
  readonly "close-breaker": {
    readonly params: {
      readonly actor: string | null;
      readonly reason: string | null;
      readonly service: string | null;
    };
    readonly row: { readonly service: string };
  };
  readonly "end-probes": {
    readonly params: {
      readonly longest: number | null;
      readonly first: number | null;
      readonly actor: string | null;
      readonly tokens: readonly (string | null)[] | null;
      readonly answered: readonly (boolean | null)[] | null;
      readonly codes: readonly (string | null)[] | null;
    };
    readonly row: { readonly service: string; readonly state: string };
  };
  readonly "find-agent-services": {
    readonly params: object;
    readonly row: { readonly agent: string; readonly service: string };
  };
  readonly "find-breaker-facts": {
    readonly params: object;
    readonly row: {
      readonly service: Maybe<string>;
      readonly agents: Maybe<readonly string[]>;
      readonly state: Maybe<string>;
      readonly reason: Maybe<string>;
      readonly by: Maybe<string>;
      readonly since: Maybe<number>;
      readonly held: Maybe<boolean>;
      readonly openUntil: Maybe<number>;
      readonly throttledUntil: Maybe<number>;
      readonly probe: Maybe<string>;
      readonly due: Maybe<number>;
    };
  };
  readonly "find-breakers": {
    readonly params: object;
    readonly row: {
      readonly service: string;
      readonly state: string;
      readonly reason: string;
      readonly held: Maybe<boolean>;
      readonly openFor: Maybe<number>;
      readonly throttledFor: Maybe<number>;
      readonly age: Maybe<number>;
    };
  };
  readonly "find-broken-services": {
    readonly params: object;
    readonly row: { readonly service: Maybe<string>; readonly instances: Maybe<number> };
  };
  readonly "find-last-faults": {
    readonly params: { readonly services: readonly (string | null)[] | null };
    readonly row: {
      readonly service: Maybe<string>;
      readonly code: string | null;
      readonly at: Maybe<number>;
      readonly detail: Maybe<string>;
    };
  };
  readonly "find-probe-in-flight": {
    readonly params: { readonly service: string | null };
    readonly row: { readonly taskId: string };
  };
  readonly "find-remotes": {
    readonly params: {
      readonly lanes: readonly (string | null)[] | null;
      readonly agents: readonly (string | null)[] | null;
    };
    readonly row: {
      readonly service: Maybe<string>;
      readonly agents: Maybe<readonly string[]>;
      readonly state: Maybe<string>;
      readonly since: Maybe<Date>;
      readonly actor: Maybe<string>;
      readonly reason: Maybe<string>;
      readonly held: Maybe<boolean>;
      readonly openUntil: Maybe<Date>;
      readonly throttledUntil: Maybe<Date>;
      readonly probeTaskId: string | null;
      readonly probeStep: string | null;
      readonly heldSteps: Maybe<number>;
      readonly heldTasks: Maybe<readonly string[]>;
    };
  };
  readonly "hold-breaker": {
    readonly params: {
      readonly service: string | null;
      readonly actor: string | null;
      readonly reason: string | null;
    };
    readonly row: { readonly service: string };
  };
  readonly "lock-breaker": {
    readonly params: { readonly service: string | null };
    readonly row: { readonly service: string };
  };
  readonly "open-breakers": {
    readonly params: {
      readonly openFor: number | null;
      readonly actor: string | null;
      readonly services: readonly (string | null)[] | null;
      readonly reasons: readonly (string | null)[] | null;
    };
    readonly row: { readonly service: string };
  };
  readonly "throttle-services": {
    readonly params: {
      readonly actor: string | null;
      readonly services: readonly (string | null)[] | null;
      readonly throttles: readonly (number | null)[] | null;
    };
    readonly row: object;
  };
}
