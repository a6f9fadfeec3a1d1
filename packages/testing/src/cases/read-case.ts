import { type Json, stepStates, taskStates } from "@holdfast/domain";
import type {
  Case,
  CaseDecision,
  CaseFault,
  CaseSignal,
  Expectations,
  StepExpectation,
} from "./case.ts";
import { readBehaviour } from "./read-behaviour.ts";
import {
  type Fields,
  isFields,
  type Place,
  placeAt,
  readCount,
  readDuration,
  readFields,
  readNames,
  readOneOf,
  readText,
} from "./read-parts.ts";

/** A case, or all that is wrong with its form. */
export type ReadCase =
  | { readonly case: Case; readonly faults: readonly [] }
  | { readonly case: null; readonly faults: readonly CaseFault[] };

/** Reads a case as it stands in its file. */
export function readCase(json: Json): ReadCase {
  const faults: CaseFault[] = [];
  const place = placeAt(faults);
  const fields = readFields(json, place, [
    "$schema",
    "name",
    "workflow",
    "input",
    "steps",
    "signals",
    "submittedBy",
    "decisions",
    "cancelAfter",
    "expect",
  ]);
  if (fields === undefined) return { case: null, faults };
  if (fields["input"] === undefined)
    place.at("input").wrong("is missing: what the task is submitted with");
  const found = {
    name: readText(fields["name"], place.at("name")) ?? "",
    workflow: readText(fields["workflow"], place.at("workflow")) ?? "",
    input: fields["input"] ?? null,
    steps: readSteps(fields["steps"], place.at("steps")),
    signals: readEach(fields["signals"], place.at("signals"), {
      what: "what is sent to the task, such as name, after and payload",
      read: readSignal,
    }),
    submittedBy: readSubmitter(fields["submittedBy"], place.at("submittedBy")),
    decisions: readEach(fields["decisions"], place.at("decisions"), {
      what: "what people decide, such as step, by, decision and after",
      read: readDecision,
    }),
    cancelAfter: readCancelAfter(fields["cancelAfter"], place.at("cancelAfter")),
    expect: readExpectations(fields["expect"], place.at("expect")),
  };
  return faults.length > 0 ? { case: null, faults } : { case: found, faults: [] };
}

const readCancelAfter = (json: Json | undefined, place: Place): Case["cancelAfter"] =>
  json === undefined ? null : (readDuration(json, place) ?? null);

const readSubmitter = (json: Json | undefined, place: Place): string =>
  json === undefined ? "the case" : (readText(json, place) ?? "");

interface Entries<Entry> {
  /** What they say, for people. */
  readonly what: string;
  readonly read: (json: Json, place: Place) => readonly Entry[];
}

/** The entries of a list that need not be there. */
function readEach<Entry>(
  json: Json | undefined,
  place: Place,
  { what, read }: Entries<Entry>,
): readonly Entry[] {
  if (json === undefined) return [];
  if (!Array.isArray(json)) {
    place.wrong(`must be a list of ${what}`);
    return [];
  }
  const entries: readonly Json[] = json;
  return entries.flatMap((one, index) => read(one, place.at(index)));
}

function readSignal(json: Json, place: Place): readonly CaseSignal[] {
  const allowed = ["name", "after", "payload", "id", "times", "refused"];
  const fields = readFields(json, place, allowed);
  if (fields === undefined) return [];
  const { payload, id } = fields;
  if (payload === undefined) place.at("payload").wrong("is missing: what the signal carries");
  return [
    {
      name: readText(fields["name"], place.at("name")) ?? "",
      payload: payload ?? null,
      id: id === undefined ? null : (readText(id, place.at("id")) ?? null),
      ...readSending(fields, place),
    },
  ];
}

function readDecision(json: Json, place: Place): readonly CaseDecision[] {
  const allowed = ["step", "by", "decision", "after", "reason", "form", "times", "refused"];
  const fields = readFields(json, place, allowed);
  if (fields === undefined) return [];
  const { reason, form } = fields;
  const decision = readOneOf(fields["decision"], place.at("decision"), votes) ?? "approve";
  if (decision === "reject" && reason === undefined) {
    place.at("reason").wrong("is missing: say why it is rejected");
  }
  if (decision === "reject" && form !== undefined) {
    place.at("form").wrong("is filled in to approve, and not to reject");
  }
  return [
    {
      step: readText(fields["step"], place.at("step")) ?? "",
      by: readText(fields["by"], place.at("by")) ?? "",
      decision,
      reason: reason === undefined ? null : (readText(reason, place.at("reason")) ?? null),
      form: form ?? null,
      ...readSending(fields, place),
    },
  ];
}

const votes = ["approve", "reject"] as const;

/** When what comes from outside is sent, how often, and with what answer. */
const readSending = (
  { after, times = 1, refused }: Fields,
  place: Place,
): Pick<CaseSignal, "after" | "times" | "refused"> => ({
  after: readDuration(after, place.at("after")) ?? "0s",
  times: readTimes(times, place.at("times")) ?? 1,
  refused: refused === undefined ? null : (readText(refused, place.at("refused")) ?? null),
});

function readTimes(json: Json, place: Place): number | undefined {
  const isCount = typeof json === "number" && Number.isInteger(json) && json >= 1 && json <= 1_000;
  return isCount ? json : place.wrong("must be a whole number from 1 to 1000");
}

function readSteps(json: Json | undefined, place: Place): Case["steps"] {
  if (json === undefined) return {};
  if (!isFields(json)) {
    place.wrong("must be an object: lists of what calls do, by step or <step>:undo");
    return {};
  }
  const steps = Object.entries(json).map(([name, list]) => {
    const at = place.at(name);
    if (!Array.isArray(list)) {
      at.wrong("must be a list of what its calls do, one after the other");
      return [name, []] as const;
    }
    const entries: readonly Json[] = list;
    return [name, entries.flatMap((one, index) => readBehaviour(one, at.at(index)))] as const;
  });
  return Object.fromEntries(steps);
}

const expectations = ["state", "faultCode", "output", "calls", "undos", "steps", "within"];

function readExpectations(json: Json | undefined, place: Place): Expectations {
  const fields = readFields(json, place, expectations) ?? {};
  if (isFields(json) && Object.keys(json).length === 0) {
    place.wrong(`must expect something: ${expectations.join(", ")}`);
  }
  const { state, faultCode, output, calls, undos, steps, within } = fields;
  return {
    ...given(
      "state",
      ifGiven(state, (part) => readOneOf(part, place.at("state"), taskStates)),
    ),
    ...given("faultCode", readCode(faultCode, place.at("faultCode"))),
    ...given("output", output),
    ...given(
      "calls",
      ifGiven(calls, (part) => readNames(part, place.at("calls"))),
    ),
    ...given(
      "undos",
      ifGiven(undos, (part) => readNames(part, place.at("undos"))),
    ),
    steps: steps === undefined ? {} : readStepExpectations(steps, place.at("steps")),
    within: within === undefined ? "1d" : (readDuration(within, place.at("within")) ?? "1d"),
  };
}

const stepExpectations = ["state", "attempts", "failures", "faultCode", "output"];

function readStepExpectations(json: Json, place: Place): Readonly<Record<string, StepExpectation>> {
  if (!isFields(json)) {
    place.wrong("must be an object: what is expected, by step or <step>:undo");
    return {};
  }
  return Object.fromEntries(
    Object.entries(json).map(([name, step]) => {
      const at = place.at(name);
      const { state, attempts, failures, faultCode, output } =
        readFields(step, at, stepExpectations) ?? {};
      return [
        name,
        {
          ...given(
            "state",
            ifGiven(state, (part) => readOneOf(part, at.at("state"), stepStates)),
          ),
          ...given(
            "attempts",
            ifGiven(attempts, (part) => readCount(part, at.at("attempts"))),
          ),
          ...given(
            "failures",
            ifGiven(failures, (part) => readCount(part, at.at("failures"))),
          ),
          ...given("faultCode", readCode(faultCode, at.at("faultCode"))),
          ...given("output", output),
        },
      ];
    }),
  );
}

const readCode = (json: Json | undefined, place: Place): string | null | undefined =>
  json === undefined || json === null ? json : readText(json, place);

/** A field that is there only if it has a value. */
const given = <Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [key in Name]?: Value } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value };

const ifGiven = <Value>(
  json: Json | undefined,
  read: (json: Json) => Value | undefined,
): Value | undefined => (json === undefined ? undefined : read(json));
