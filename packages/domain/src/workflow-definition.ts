import type { Json } from "./json.ts";

/** Milliseconds. */
export type Milliseconds = number;

/**
 * The highest version of the notation below. Readers refuse what they do not know. A definition has
 * the lowest that it needs: see `formatOf`.
 */
export const definitionFormat = 4;

/**
 * The versions of the notation. 2 has steps that wait for a time, 3 some that wait for signals, 4
 * some that wait for people.
 */
export type DefinitionFormat = 1 | 2 | 3 | 4;

/**
 * JSON with holes: `{"$ref": "/input/customer"}` or `{"$ref": "/steps/charge/chargeId"}` is
 * replaced when the step is dispatched, `{"$literal": …}` stands for its content untouched.
 * `{"$concat": […]}` is one text of texts, numbers, truth values and refs, and is missing without
 * one of them. `{"$fallback": [ref, other]}` is the other where the value is missing or null. No
 * other key may begin with `$`. A ref to the output of a skipped step is null.
 */
export type Template = Json;

/** Decides whether a step is done at all. Evaluated once, when the steps before it are done. */
export type Condition =
  | { readonly equals: readonly [Template, Template] }
  | { readonly in: readonly [Template, readonly Template[]] }
  | { readonly greaterThan: readonly [Template, Template] }
  | { readonly lessThan: readonly [Template, Template] }
  | { readonly exists: Template }
  | { readonly not: Condition }
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] };

/** How often a step may fail, and how long it rests in between. */
export interface RetryPolicy {
  /** The failure threshold: the failure with this number is the last one. At least 1. */
  readonly failures: number;
  /** Rest after the first failure; doubles with each further one. */
  readonly backoff: Milliseconds;
  /** The longest rest. */
  readonly max: Milliseconds;
}

/** The pattern's "wait for an extended period before retrying", once the threshold is reached. */
export interface CoolDownPolicy {
  readonly wait: Milliseconds;
  /** How often; null: without limit. */
  readonly times: number | null;
}

export interface StepPolicy {
  /** How long a request may wait until an Agent takes it. */
  readonly startWithin: Milliseconds;
  /** How long an Agent may work on it. */
  readonly completeWithin: Milliseconds;
  /**
   * How long an attempt may last whose Agent keeps saying that it is at work: each heartbeat gives
   * it `completeWithin` more, up to so long after its start. Absent: heartbeats extend nothing.
   */
  readonly extendUpTo?: Milliseconds;
  readonly retry: RetryPolicy;
  readonly coolDown: CoolDownPolicy | null;
  /** What happens to the task once this step has failed for good. */
  readonly onFailure: "undo" | "halt";
  /** What is done otherwise about certain faults. Absent: nothing. */
  readonly faults?: readonly FaultPolicy[];
}

/** What is done about one fault, or all of one area; what is not said is as for any other. */
export interface FaultPolicy extends Partial<Pick<StepPolicy, "retry" | "coolDown" | "onFailure">> {
  /** A code such as `payments.limit_reached`, or `payments.*`. */
  readonly code: string;
}

/** One step as the author wrote it down. Without a kind it is a call. */
export type StepDefinition =
  | CallDefinition
  | WaitDefinition
  | SignalDefinition
  | ApprovalDefinition;

/** When a step has its place among the others. */
interface PlacedDefinition {
  readonly name: string;
  /** Names of the steps that must be done (processed or skipped) before this one. */
  readonly after: readonly string[];
  readonly onlyIf: Condition | null;
}

/** A step that asks an Agent. */
export interface CallDefinition extends PlacedDefinition, StepPolicy {
  readonly kind?: undefined;
  readonly agent: string;
  /**
   * The pool: Agents of one remote service, of which the claim chooses one that is well and has
   * room. `agent` is its first. Absent: there is no choice.
   */
  readonly agents?: readonly string[];
  readonly operation: string;
  readonly input: Template;
  /**
   * How often in a row an attempt may end without a failure, such as because no Agent took it:
   * after that the task halts. Absent: without limit.
   */
  readonly maxRequeues?: number;
  /** The operation of the same Agent that undoes this one; null: there is nothing to undo. */
  readonly undo: UndoDefinition | null;
}

export interface UndoDefinition extends StepPolicy {
  readonly operation: string;
}

/**
 * How long a step waits: for so long, or until the instant that a value says, for `atMost` at most.
 */
export type WaitTime =
  | { readonly for: Milliseconds }
  | { readonly until: Template; readonly atMost?: Milliseconds };

/**
 * A step that asks no Agent: it is done once its time has come. Its milliseconds may be more than
 * 2^31 - 1.
 */
export type WaitDefinition = PlacedDefinition &
  WaitTime & {
    readonly kind: "wait";
    /** What happens to the task if the value of `until` says no instant. */
    readonly onFailure: StepPolicy["onFailure"];
  };

/** What a step waits for that waits for a signal, and what follows if none comes. */
export interface SignalTerms {
  /** The name under which it is sent; several steps may wait for the same. */
  readonly signal: string;
  /** How long it is waited for; null: for ever. May be more than 2^31 - 1. */
  readonly within: Milliseconds | null;
  /** What follows then: the step is done without one, or has failed with `wait.expired`. */
  readonly onDeadline: "continue" | "fail";
  /** Whether an operator is alerted to one that no step can take any more. Absent: no. */
  readonly late?: "alert";
  /** What happens to the task once the step has failed. */
  readonly onFailure: StepPolicy["onFailure"];
}

/** A step that asks no Agent: it is done once a signal of that name is there. */
export interface SignalDefinition extends PlacedDefinition, SignalTerms {
  readonly kind: "signal";
}

/** Who decides a step that waits for people, and what follows if they do not. */
export interface ApprovalTerms {
  /** The name of those who may decide. */
  readonly audience: string;
  /** How many of them must approve; one who rejects decides alone. At least 1. */
  readonly quorum: number;
  /** Whether who submitted the task may not decide. */
  readonly excludesSubmitter: boolean;
  /** The ids of others who may not, each a text. */
  readonly excludes: readonly Template[];
  /** How long they are waited for; null: for ever. May be more than 2^31 - 1. */
  readonly within: Milliseconds | null;
  /** The time after which they are reminded, again and again; null: never. */
  readonly remindAfter: Milliseconds | null;
  /**
   * What follows once that time has passed: it counts as approved or as rejected, or the step has
   * failed with `wait.expired`.
   */
  readonly onDeadline: "approve" | "reject" | "fail";
  /** What happens to the task once the step has failed, as by a rejection. */
  readonly onFailure: StepPolicy["onFailure"];
}

/** A step that asks no Agent: it is done once people have approved it. */
export interface ApprovalDefinition extends PlacedDefinition, ApprovalTerms {
  readonly kind: "approval";
  /** What those see who decide. */
  readonly show: Template;
}

/** Whether a step asks an Agent. */
export const isCall = (step: StepDefinition): step is CallDefinition => step.kind === undefined;

/** The steps of a definition that ask an Agent. */
export const callsOf = ({ steps }: Pick<WorkflowDefinition, "steps">): readonly CallDefinition[] =>
  steps.filter(isCall);

/**
 * The lowest format that has all that these steps say: one who reads no more than that can use
 * them.
 */
export const formatOf = (steps: readonly StepDefinition[]): DefinitionFormat =>
  steps.reduce<DefinitionFormat>((format, step) => {
    const needed = formats[step.kind ?? "call"];
    return needed > format ? needed : format;
  }, 1);

/** The first format that has steps of that kind. */
const formats: Readonly<Record<NonNullable<StepDefinition["kind"]> | "call", DefinitionFormat>> = {
  call: 1,
  wait: 2,
  signal: 3,
  approval: 4,
};

/** The names of the signals that steps of a definition wait for, each once. */
export const signalsOf = ({ steps }: Pick<WorkflowDefinition, "steps">): readonly string[] => [
  ...new Set(steps.flatMap((step) => ("signal" in step ? [step.signal] : []))),
];

/** The Agents that may take a step: those of its pool, or the one that it names. */
export const agentsOfStep = ({
  agent,
  agents = [agent],
}: Pick<CallDefinition, "agent" | "agents">): readonly string[] => agents;

/** The operations that a step asks its Agent for: its own, and the one that undoes it. */
export const operationsOfStep = ({
  operation,
  undo,
}: {
  readonly operation: string;
  readonly undo: Pick<UndoDefinition, "operation"> | null;
}): readonly string[] => (undo === null ? [operation] : [operation, undo.operation]);

/** The remote service that an Agent wraps. */
export interface RemoteDefinition {
  readonly service: string;
  /**
   * Whether the service knows a key whichever of its Agents sends it: then an attempt of another
   * Agent repeats nothing. Absent: false.
   */
  readonly sharesKeys?: boolean;
}

/** JSON Schemas by `<agent>.<operation>`. */
export interface OperationSchemas {
  readonly [operation: string]: { readonly [key: string]: Json };
}

/** Pointers such as `/input/customer` to the fairness key and weight in the input of a task. */
export interface FairnessDefinition {
  readonly key: string;
  readonly weight?: string;
}

/** A workflow as it is stored: immutable data, named with its version (`fulfil-order.v1`). */
export interface WorkflowDefinition {
  readonly format: DefinitionFormat;
  readonly name: string;
  /** JSON Schema of the input of a task. */
  readonly inputSchema: { readonly [key: string]: Json };
  readonly steps: readonly StepDefinition[];
  /** Limit on the whole task; null: none. */
  readonly completeWithin: Milliseconds | null;
  /** What a processed task shows as its result. */
  readonly output: Template;
  /** The noun at which its tasks are submitted, such as `orders`. Means nothing to tasks. */
  readonly collection?: string;
  /** What its tasks share a band by. Absent: nothing, unless a submission says so. */
  readonly fairness?: FairnessDefinition;
  /** What its Agents wrap, by Agent, where that is not a service of the Agent's own name. */
  readonly remotes?: { readonly [agent: string]: RemoteDefinition };
  /**
   * The contracts of the operations as they were when the workflow was defined: JSON Schemas of
   * what they take (`inputs`) and return (`outputs`), by `<agent>.<operation>`. Tasks under way are
   * held to these, whatever the Agent's contract is by now. Absent: nothing is checked but the
   * limits of payloads.
   */
  readonly inputs?: OperationSchemas;
  readonly outputs?: OperationSchemas;
  /** JSON Schemas of what signals carry, by their names: one for each that a step waits for. */
  readonly signals?: OperationSchemas;
  /** JSON Schemas of what those fill in who approve a step, by its name. Absent: nothing. */
  readonly forms?: OperationSchemas;
}

const version = "\\.v[1-9][0-9]{0,5}$";

/** The pattern of names of workflows as they are stored, with their version: `fulfil-order.v1`. */
export const workflowNamePattern = `^[a-zA-Z0-9][a-zA-Z0-9._-]{0,90}${version}`;

const ending = new RegExp(version);

/** The name of a workflow without its version. */
export const familyOf = (name: string): string => name.replace(ending, "");
