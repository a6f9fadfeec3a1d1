import type { Duration, Json, TaskState } from "@holdfast/domain";
import type { StepDecision } from "../decide-step.ts";

/** What a handler does when it is called once. */
export type Behaviour = Timed &
  (
    | { readonly kind: "reply"; readonly output: Json }
    | {
        readonly kind: "fail";
        readonly code: string;
        readonly message: string;
        readonly transient: boolean;
        readonly effect: "none" | "unknown";
        readonly retryAfter: Duration | null;
      }
    /** It is called, and no reply ever comes. */
    | { readonly kind: "silence" }
    /** It replies in time, and its reply arrives so much after the deadline of its attempt. */
    | { readonly kind: "late"; readonly output: Json; readonly by: Duration }
    /**
     * The effect is there, and the Agent dies before it replies: another one gets the same request.
     */
    | { readonly kind: "crash" }
  );

interface Timed {
  /** Virtual time that passes first, in which the handler says that it is at work; null: none. */
  readonly advance: Duration | null;
  /** How many calls in a row do this; null: all that follow. */
  readonly times: number | null;
}

/** What a case expects of one step. What is left out is not compared. */
export interface StepExpectation {
  readonly state?: string;
  readonly attempts?: number;
  readonly failures?: number;
  readonly faultCode?: string | null;
  readonly output?: Json;
}

/** What a case expects at the end. What is left out is not compared. */
export interface Expectations {
  readonly state?: TaskState;
  readonly faultCode?: string | null;
  readonly output?: Json;
  /** The steps whose handlers are called, in order, each time that one is. */
  readonly calls?: readonly string[];
  /** The steps whose undos are called, in order. */
  readonly undos?: readonly string[];
  readonly steps: Readonly<Record<string, StepExpectation>>;
  /** The virtual time within which the task must have ended. */
  readonly within: Duration;
}

/** A signal that is sent to the task of a case. */
export interface CaseSignal {
  /** The name under which a step waits for it. */
  readonly name: string;
  /** Virtual time from the submission on. */
  readonly after: Duration;
  readonly payload: Json;
  /** Its id; null: one of its own. */
  readonly id: string | null;
  /** How many times it is sent. */
  readonly times: number;
  /** The code with which it is refused, whenever the task ends; null: it is accepted. */
  readonly refused: string | null;
}

/** What one of an audience says about a step of the task of a case. */
export interface CaseDecision extends StepDecision {
  /** Virtual time from the submission on. */
  readonly after: Duration;
  /** How many times it is sent. */
  readonly times: number;
  /** The code with which it is refused, whenever the task ends; null: it counts. */
  readonly refused: string | null;
}

/** One case of one workflow: an input, what its handlers do, and how it must end. */
export interface Case {
  readonly name: string;
  /** A name such as `book-trip.v1` or `book-trip`, or the path of a module or of a definition. */
  readonly workflow: string;
  readonly input: Json;
  /**
   * What the calls of each step do, one after the other, by step or `<step>:undo`. Those that
   * follow succeed.
   */
  readonly steps: Readonly<Record<string, readonly Behaviour[]>>;
  /** What is sent to the task meanwhile. */
  readonly signals: readonly CaseSignal[];
  /** The id of who submits the task. */
  readonly submittedBy: string;
  /** What people decide about its steps meanwhile. */
  readonly decisions: readonly CaseDecision[];
  /** An operator cancels the task after so much virtual time; null: nothing cancels it. */
  readonly cancelAfter: Duration | null;
  readonly expect: Expectations;
}

/** What is wrong with a case: where, as a JSON pointer, and what is allowed there. */
export interface CaseFault {
  readonly pointer: string;
  readonly detail: string;
}
