import {
  compileInput,
  compileTaskInput,
  inputAt,
  nextInstants,
  Schedule,
  scheduleFaults,
  scheduleIdPattern,
  type WholeSchedule,
  wholeSchedule,
} from "@holdfast/contracts";
import {
  ContractFault,
  errorText,
  familyOf,
  type Json,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { Workflow } from "./define-workflow.ts";
import { type Duration, toMilliseconds } from "./duration.ts";
import { type Ref, refTo, type Template } from "./ref.ts";
import { refuse } from "./refusals.ts";
import type { InputOf, Schema } from "./schema.ts";
import { toTemplate } from "./to-template.ts";

/** When tasks of a workflow are submitted, and with which input. */
export interface ScheduleOptions<S extends Schema = Schema>
  extends Pick<Schedule, "overlap" | "catchUp" | "pauseAfterFailures" | "priority" | "labels"> {
  /** The workflow of its tasks: the version that takes new ones at the instant. */
  readonly workflow: Workflow<S>;
  /** When it fires: minute, hour, day of the month, month, day of the week, as `"30 2 * * *"`. */
  readonly cron: string;
  /** The time zone that this is meant in, by its IANA name: `Europe/Budapest`, `UTC`. */
  readonly zone: string;
  /** The input of each task, with `scheduledAt` where the instant is to stand. */
  readonly input: Template<InputOf<S>>;
  /** How long after an instant it may fire, the same for the same instant: up to an hour. */
  readonly jitter?: Duration;
}

/** A schedule is data, ready to be stored under its id. */
export interface DefinedSchedule {
  readonly id: string;
  readonly definition: Schedule;
}

/**
 * Stands in the input of a schedule for the instant for which a task is: `at` as RFC 3339 writes
 * it, `date` and `time` as the clock of the zone shows it (`2026-11-29`, `02:30`), and for the `id`
 * of the schedule.
 */
export const scheduledAt = (part: "at" | "date" | "time" | "id"): Ref<string> =>
  refTo(`/schedule/${part}`);

/**
 * Writes a schedule down. Nothing fires before it is stored. Throws a `ContractFault`
 * (`schedule.invalid`) with a line for each mistake.
 */
export function defineSchedule<S extends Schema>(
  id: string,
  options: ScheduleOptions<S>,
): DefinedSchedule {
  try {
    return writtenDown(id, options);
  } catch (error) {
    refuse({ kind: "schedule", name: id, error });
    return Object.defineProperty({ id } as DefinedSchedule, "definition", {
      get: (): never => {
        throw error;
      },
    });
  }
}

/**
 * The schedules among what a module exports, each once: as `defineSchedule` returns them. Those of
 * JSON are not validated.
 */
export const schedulesIn = (exported: object): readonly DefinedSchedule[] =>
  [...new Set<unknown>(Object.values(exported))].filter(isSchedule);

function isSchedule(value: unknown): value is DefinedSchedule {
  if (typeof value !== "object" || value === null || !("id" in value)) return false;
  const { id, definition } = value as { readonly id: unknown; readonly definition?: unknown };
  const isObject = typeof definition === "object" && definition !== null;
  return typeof id === "string" && isObject && "cron" in definition && "zone" in definition;
}

function writtenDown(id: string, options: ScheduleOptions): DefinedSchedule {
  const workflow = workflowOf(id, options);
  const definition = definitionOf(id, options, familyOf(workflow.name));
  const mistakes = mistakesIn(id, definition, workflow);
  if (mistakes.length === 0) return { id, definition };
  throw new ContractFault("schedule.invalid", mistakes.map((one) => `${id}: ${one}`).join("\n"));
}

/** The definition of the workflow. Throws a `ContractFault` that names it, if it is refused. */
function workflowOf(id: string, { workflow }: ScheduleOptions): WorkflowDefinition {
  // What a program in JavaScript may say.
  const given = workflow as Partial<Workflow<Schema>> | undefined;
  return within(id, () => {
    try {
      if (given?.definition !== undefined) return given.definition;
    } catch (error) {
      const [why = ""] = errorText(error).split("\n");
      throw new ContractFault(
        "schedule.invalid",
        `the workflow ${String(given?.name)} is refused: ${why}`,
        { cause: error },
      );
    }
    throw new ContractFault(
      "schedule.invalid",
      "workflow must be what defineWorkflow returns: import it, and hand it over as it is",
    );
  });
}

const definitionOf = (
  id: string,
  { cron, zone, input, jitter, ...options }: ScheduleOptions,
  workflow: string,
): Schedule =>
  within(id, () => {
    const { overlap, catchUp, pauseAfterFailures, priority, labels } = options;
    return {
      workflow,
      cron,
      zone,
      input: within("input", () => toTemplate(input)),
      ...(overlap === undefined ? {} : { overlap }),
      ...(catchUp === undefined ? {} : { catchUp }),
      ...(jitter === undefined ? {} : { jitter: toMilliseconds(jitter, "jitter") }),
      ...(pauseAfterFailures === undefined ? {} : { pauseAfterFailures }),
      ...(priority === undefined ? {} : { priority }),
      ...(labels === undefined ? {} : { labels }),
    };
  });

/** Runs `write`, and has a `ContractFault` of it say where it happened. */
function within<T>(place: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    throw new ContractFault("schedule.invalid", `${place}: ${error.message}`, { cause: error });
  }
}

const formOfSchedule = Schedule as unknown as { readonly [keyword: string]: Json };

/** What is wrong with a schedule, a sentence each: its form, or its times, or its input. */
function mistakesIn(
  id: string,
  definition: Schedule,
  workflow: WorkflowDefinition,
): readonly string[] {
  const own = scheduleMistakes({ id, definition });
  return own.length > 0 ? own : mistakesOfInput(id, wholeSchedule(definition), workflow);
}

/** What is wrong with a schedule by itself, whatever its workflow takes: a sentence each. */
export function scheduleMistakes({ id, definition }: DefinedSchedule): readonly string[] {
  if (!new RegExp(scheduleIdPattern).test(id)) {
    return [`not a usable id: it must match ${scheduleIdPattern}`];
  }
  const form = compileInput(formOfSchedule, "a schedule")(definition).map(sentenceOf);
  if (form.length > 0) return form;
  return scheduleFaults(wholeSchedule(definition), Date.now()).map(sentenceOf);
}

const sentenceOf = ({ pointer, detail }: { readonly pointer: string; readonly detail: string }) =>
  `${pointer.slice(1)} ${detail}`;

/** What the workflow would refuse of the task of the next instant. */
function mistakesOfInput(
  id: string,
  whole: WholeSchedule,
  workflow: WorkflowDefinition,
): readonly string[] {
  const now = Date.now();
  const [next = now] = nextInstants(whole, now, 1);
  return compileTaskInput(workflow)(inputAt(whole, id, next)).map(
    ({ pointer, detail }) => `input${pointer} ${detail}, as ${workflow.name} takes it`,
  );
}
