import {
  type Condition,
  ContractFault,
  durationText,
  expressionIn,
  formatOf,
  type Json,
  parseInstant,
  type StepDefinition,
  type StepKind,
  signalsOf,
  stepKinds,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { ErrorObject } from "ajv";
import { valueFlow } from "../flow/value-flow.ts";
import { payloadFaults } from "../limits/payload-faults.ts";
import { checkFairness } from "./check-fairness.ts";
import { type FieldFault, pointerPart } from "./check-input.ts";
import { checkOrder, type OrderedStep } from "./check-order.ts";
import { checkPools } from "./check-pools.ts";
import { checkCondition, checkTemplate } from "./check-template.ts";
import { formErrors } from "./definition-schema.ts";
import { schemaChecks, unsupportedParts } from "./schema-faults.ts";

/** The deepest nesting of a definition: a payload of the deepest, and the definition around it. */
const deepest = 40;

type Fields = Readonly<Record<string, unknown>>;

interface Problem {
  /** The step that it is about; null: the workflow as a whole. */
  readonly step: string | null;
  readonly what: string;
  readonly pointer: string;
}

/**
 * Accepts a definition wherever it comes from. Throws a `ContractFault` (`workflow.invalid`) that
 * lists all that is wrong with it, a line each, and where.
 */
export function validateDefinition(json: unknown): WorkflowDefinition {
  return accept(json, formErrors(json));
}

/**
 * Accepts a definition that the state store returned. Unlike `validateDefinition` it ignores fields
 * that it does not know: a later release may have stored them.
 */
export function readDefinition(json: unknown): WorkflowDefinition {
  const known = formErrors(json).filter(({ keyword }) => keyword !== "additionalProperties");
  return accept(json, known);
}

/**
 * All that `validateDefinition` and a submission would find wrong with a definition, each with its
 * JSON pointer.
 */
export function definitionFaults(json: unknown): readonly FieldFault[] {
  const faults = [...definitionChecks(json)].flat();
  return faults.length > 0 ? faults : valueFlow(json as WorkflowDefinition).faults;
}

/**
 * The faults of form and schemas in pieces, so that others have their turn of the event loop
 * between two of them.
 */
export function* definitionChecks(json: unknown): Generator<readonly FieldFault[], void> {
  const faults = allProblems(json, formErrors(json)).map(({ pointer, what }) => ({
    pointer,
    detail: what,
  }));
  yield faults;
  if (!faults.some(isDeep)) yield* schemaChecks(json);
}

/**
 * What a definition of the right form says that is not to be stored: schemas that cannot be checked
 * in bounded time, and values that may be missing where they must be there. Compiles nothing.
 */
export function refusedParts(definition: WorkflowDefinition): readonly FieldFault[] {
  const unsupported = unsupportedParts(definition);
  return unsupported.length > 0 ? unsupported : valueFlow(definition).faults;
}

const isDeep = ({ pointer }: FieldFault): boolean => pointer === "";

function allProblems(json: unknown, form: readonly ErrorObject[]): readonly Problem[] {
  const unstorable = payloadFaults(json, deepest);
  return unstorable.length > 0
    ? unstorable.map((what) => ({ step: null, what, pointer: "" }))
    : problemsOf(json, form);
}

function accept(json: unknown, form: readonly ErrorObject[]): WorkflowDefinition {
  const problems = allProblems(json, form);
  if (problems.length === 0) return json as WorkflowDefinition;
  const { name } = fields(json);
  const workflow = typeof name === "string" ? name : "workflow";
  const lines = problems.map(({ step, what }) =>
    step === null ? `${workflow}: ${what}` : `${workflow}, step "${step}": ${what}`,
  );
  throw new ContractFault("workflow.invalid", [...new Set(lines)].join("\n"));
}

/** What is wrong with the form of one part does not hide what is wrong with the others. */
function problemsOf(json: unknown, errors: readonly ErrorObject[]): readonly Problem[] {
  const { steps, output, fairness, inputSchema, remotes, signals, forms } = fields(json);
  const all: readonly unknown[] = Array.isArray(steps) ? steps : [];
  const names = all.map((step, index) => nameOf(step) ?? `${index + 1}`);
  const form = [...errors.map((error) => describe(error, names)), ...formatProblems(json, all)];
  if (all.length > 100) return form;
  const contents = all.flatMap((step, index) =>
    contentProblems(step).map(({ field, what }) => ({
      step: names[index] ?? null,
      what: `${field}: ${what}`,
      pointer: `/steps/${index}/${field}`,
    })),
  );
  const outcome = checkTemplate(output).map((what) => ({
    step: null,
    what: `output: ${what}`,
    pointer: "/output",
  }));
  const ordered = all.map(asOrdered).filter((step) => step !== null);
  const order = checkOrder(ordered, output as Json).map(({ step, what }) => ({
    step,
    what,
    pointer: step === null ? "/output" : `/steps/${names.lastIndexOf(step)}`,
  }));
  const shares = checkFairness(fairness, inputSchema).map(({ pointer, detail }) => ({
    step: null,
    what: `fairness: ${detail}`,
    pointer,
  }));
  const pools = checkPools(all, remotes).map(({ pointer, detail }) =>
    poolProblem(names, pointer, detail),
  );
  return [
    ...form,
    ...contents,
    ...outcome,
    ...order,
    ...shares,
    ...pools,
    ...signalProblems(all, signals),
    ...formProblems(all, forms),
    ...limitProblems(json, all),
  ];
}

/** An earlier release reads lower formats, and would not know what to do with a step that waits. */
function formatProblems(json: unknown, steps: readonly unknown[]): readonly Problem[] {
  const { format } = fields(json);
  const needed = Math.max(1, ...steps.map(formatFor));
  if (typeof format !== "number" || format >= needed) return [];
  const first = steps.find((step) => formatFor(step) === needed);
  const { meaning } = stepKinds[fields(first)["kind"] as StepKind];
  const what = `format must be ${needed}: step "${nameOf(first)}" ${meaning}, which format ${format} does not have`;
  return [{ step: null, what, pointer: "/format" }];
}

/** The lowest format that has such a step; 1 for what is none. */
function formatFor(step: unknown): number {
  const { kind } = fields(step);
  const isKnown = typeof kind === "string" && Object.hasOwn(stepKinds, kind);
  return isKnown ? formatOf([step as StepDefinition]) : 1;
}

/** Each signal that a step waits for has a schema, and no other. */
function signalProblems(steps: readonly unknown[], signals: unknown): readonly Problem[] {
  const awaited = new Set(
    signalsOf({ steps: steps.map((step) => fields(step) as unknown as StepDefinition) }),
  );
  const known = new Set(Object.keys(fields(signals)));
  return [
    ...[...awaited]
      .filter((name) => typeof name === "string" && !known.has(name))
      .map((name) =>
        signalProblem(name, `a step waits for "${name}", which has no schema: say what it carries`),
      ),
    ...[...known]
      .filter((name) => !awaited.has(name))
      .map((name) =>
        signalProblem(name, `no step waits for "${name}": remove it, or have a step wait for it`),
      ),
  ];
}

const signalProblem = (name: string, what: string): Problem => ({
  step: null,
  what: `signals: ${what}`,
  pointer: `/signals/${pointerPart(name)}`,
});

/** Whether people decide a step. */
const isApproval = (step: unknown): boolean => "audience" in fields(step);

/** A form belongs to a step that people decide. */
function formProblems(steps: readonly unknown[], forms: unknown): readonly Problem[] {
  const approvals = new Set(steps.filter(isApproval).map((step) => nameOf(step)));
  return Object.keys(fields(forms))
    .filter((name) => !approvals.has(name))
    .map((name) => ({
      step: null,
      what: `forms: no approval is named "${name}": remove it, or add a step of this name that people decide`,
      pointer: `/forms/${pointerPart(name)}`,
    }));
}

/** A task is undone at the end of its own time, whatever people still have to decide it. */
function limitProblems(json: unknown, steps: readonly unknown[]): readonly Problem[] {
  const { completeWithin } = fields(json);
  if (typeof completeWithin !== "number") return [];
  return steps.flatMap((step, index): Problem[] => {
    const { within } = fields(step);
    if (!isApproval(step) || typeof within !== "number" || within <= completeWithin) return [];
    const what = `within: is ${durationText(within)}, longer than the ${durationText(completeWithin)} that a task may take as a whole: it would be undone before they decide. Shorten it, or give the workflow a longer completeWithin`;
    return [{ step: nameOf(step) ?? `${index + 1}`, what, pointer: `/steps/${index}/within` }];
  });
}

/** A wait has one end: after so long, or when a value says. */
function checkWait(step: Fields): readonly { field: string; what: string }[] {
  const { until, atMost } = step;
  const isFor = step["for"] !== undefined;
  if (isFor === (until !== undefined)) {
    return [
      { field: isFor ? "until" : "for", what: "a wait has either for or until: say one of them" },
    ];
  }
  if (isFor) {
    const what = "is for a wait until an instant: leave it out, for says how long this one lasts";
    return atMost === undefined ? [] : [{ field: "atMost", what }];
  }
  const problems = checkTemplate(until);
  if (problems.length > 0) return problems.map((what) => ({ field: "until", what }));
  const expression = expressionIn(until as Json);
  const written = expression?.kind === "literal" ? expression.value : until;
  const isValue = expression !== null && expression.kind !== "literal";
  if (isValue || (typeof written === "string" && !Number.isNaN(parseInstant(written)))) return [];
  const what = `${JSON.stringify(written)} is no instant with its zone, such as 2026-11-24T10:00:00Z: write one, or the place of a value`;
  return [{ field: "until", what }];
}

/** Values name who may not decide, and people are reminded while there is time. */
function checkApproval(step: Fields): readonly { field: string; what: string }[] {
  const { excludes, show, within, remindAfter } = step;
  const all: readonly unknown[] = Array.isArray(excludes) ? excludes : [];
  const excluded = all.flatMap((one, index) => {
    const field = `excludes/${index}`;
    const problems = checkTemplate(one);
    if (problems.length > 0) return problems.map((what) => ({ field, what }));
    const kind = expressionIn(one as Json)?.kind ?? "literal";
    const what = `${JSON.stringify(one)} is no place of an id: name one, such as {"$ref": "/input/requester"}; excludesSubmitter is for who submits the task`;
    return kind === "literal" ? [{ field, what }] : [];
  });
  const shown = checkTemplate(show).map((what) => ({ field: "show", what }));
  if (typeof within !== "number" || typeof remindAfter !== "number" || remindAfter < within) {
    return [...excluded, ...shown];
  }
  const what = `is ${durationText(remindAfter)}, and they have ${durationText(within)} to decide: shorten it, or leave it out`;
  return [...excluded, ...shown, { field: "remindAfter", what }];
}

/** What the form of steps does not say, by their kinds. */
const checksOfKinds: ReadonlyMap<unknown, typeof checkWait> = new Map([
  ["wait", checkWait],
  ["approval", checkApproval],
]);

function poolProblem(names: readonly string[], pointer: string, detail: string): Problem {
  const [, root, index] = pointer.split("/");
  return root === "steps"
    ? { step: names[Number(index)] ?? null, what: `agents: ${detail}`, pointer }
    : { step: null, what: `${pointer.slice(1).replaceAll("/", ".")}: ${detail}`, pointer };
}

function contentProblems(step: unknown): readonly { field: string; what: string }[] {
  const { input, onlyIf = null, kind } = fields(step);
  const conditions = onlyIf === null ? [] : checkCondition(onlyIf);
  return [
    ...(checksOfKinds.get(kind)?.(fields(step)) ?? []),
    ...checkExtension(step, "extendUpTo"),
    ...checkExtension(fields(step)["undo"], "undo/extendUpTo"),
    ...checkTemplate(input).map((what) => ({ field: "input", what })),
    ...conditions.map((what) => ({ field: "onlyIf", what })),
  ];
}

/** A cap below `completeWithin` would say that a heartbeat takes time away. */
function checkExtension(
  policy: unknown,
  field: string,
): readonly { field: string; what: string }[] {
  const { completeWithin, extendUpTo } = fields(policy);
  if (typeof completeWithin !== "number" || typeof extendUpTo !== "number") return [];
  if (extendUpTo >= completeWithin) return [];
  const what = `is ${extendUpTo} ms, less than completeWithin (${completeWithin} ms): it is the longest that an attempt may last with heartbeats`;
  return [{ field, what }];
}

/** What can be read of a step; null for what has no name. */
function asOrdered(step: unknown): OrderedStep | null {
  const { after, onlyIf = null } = fields(step);
  const name = nameOf(step);
  if (name === null) return null;
  const readable = onlyIf !== null && checkCondition(onlyIf).length === 0;
  return {
    name,
    after: Array.isArray(after) ? after.filter((other) => typeof other === "string") : [],
    templates: templatesOf(step),
    onlyIf: readable ? (onlyIf as Condition) : null,
  };
}

/** All that a step is given, whatever its kind. */
const templatesOf = (step: unknown): readonly Json[] =>
  ["input", "until", "excludes", "show"].map((field) => (fields(step)[field] ?? null) as Json);

/** `/steps/2/retry/failures` becomes the step's name and `retry.failures`. */
function describe(
  { instancePath, message, params }: ErrorObject,
  names: readonly string[],
): Problem {
  const [, root, index, ...rest] = instancePath.split("/");
  const step = root === "steps" ? (names[Number(index)] ?? null) : null;
  const field = (step === null ? instancePath.split("/").slice(1) : rest).join(".");
  const extra =
    typeof params["additionalProperty"] === "string" ? params["additionalProperty"] : "";
  const missing = params["missingProperty"];
  const part = extra || (typeof missing === "string" ? missing : "");
  const pointer = part === "" ? instancePath : `${instancePath}/${pointerPart(part)}`;
  return { step, what: [field, message, extra].filter(Boolean).join(" "), pointer };
}

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

function nameOf(step: unknown): string | null {
  const { name } = fields(step);
  return typeof name === "string" ? name : null;
}

/**
 * The definitions among what a module exports, each once: as `defineWorkflow` returns them, or as
 * they are stored. They are not validated: see `validateDefinition`. What is neither is something
 * else that the module exports.
 */
export const definitionsIn = (exported: object): readonly object[] =>
  [...new Set<unknown>(Object.values(exported))].flatMap((one) => {
    if (typeof one !== "object" || one === null) return [];
    const { definition = one } = one as { readonly definition?: unknown };
    return isDefinition(definition) ? [definition] : [];
  });

const isDefinition = (value: unknown): value is object =>
  typeof value === "object" && value !== null && "format" in value && "steps" in value;
