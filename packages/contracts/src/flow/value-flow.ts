import {
  canonicalJson,
  expressionIn,
  type Json,
  parsePointer,
  refsOf,
  refsOfCondition,
  type StepDefinition,
  type Template,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { closeObjects, type FieldFault } from "../definition/check-input.ts";
import { schemaMeaning } from "../definition/schema-meaning.ts";
import {
  composing,
  conditional,
  dependent,
  escaped,
  isObject,
  type JsonSchema,
  own,
} from "../schema/schema-keywords.ts";
import { type Demand, demandAt, type Missing } from "./demand.ts";
import {
  type Chance,
  isImpossible,
  type Presence,
  presenceAt,
  presenceBelow,
  worse,
} from "./presence.ts";
import { hasRun, type Proven, provenBy } from "./proven.ts";
import {
  anyOther,
  type Budget,
  each,
  isSeveral,
  type Key,
  listOf,
  mapOf,
  patternsIn,
  readSchema,
  type SchemaReader,
  schemasOfElement,
  schemasPossibleFor,
  spend,
  targetOf,
} from "./schema-reader.ts";
import { contractNameOf, returnedBy, type Taken, takenBy } from "./taken-by.ts";

/**
 * A value that a step may need and not find: neither schemas nor conditions say whether it is
 * there.
 */
export interface OpenUse {
  readonly step: string;
  /**
   * The object or list that is handed on, of which it is a part; null: a ref leads to the value
   * itself.
   */
  readonly within: string | null;
  /** When it shows: at the submission, by the input alone, or when the step is to run. */
  readonly shows: "submission" | "run";
  /** The place where the step takes it, as a JSON pointer in the definition. */
  readonly pointer: string;
  /** The value, as a pointer in the task. */
  readonly value: string;
  readonly missing: Missing;
  readonly demand: Exclude<Demand, "fits">;
}

export interface ValueFlow {
  /** Values that may be missing, and that a step cannot do without. */
  readonly faults: readonly FieldFault[];
  readonly open: readonly OpenUse[];
  /** Whether all was followed; otherwise what was not is open. */
  readonly isComplete: boolean;
}

/**
 * Follows values from the schemas of what is submitted and returned to where templates use them:
 * whether one that is missing is taken there. Conditions count for the values that they show to be
 * there. It takes time, and is for the moment when a definition is stored.
 */
export function valueFlow(definition: WorkflowDefinition, most = mostSteps): ValueFlow {
  const budget = { steps: most };
  const sources = sourcesOf(definition, budget);
  const ofSteps = definition.steps.flatMap((step, index) =>
    sources.takenBy(step).map((taken) => flowInto({ step, taken, index }, sources)),
  );
  const nevers = refsIn(definition.output, []).flatMap(({ place, pointer }): FieldFault[] =>
    sources.presenceOf(pointer, nothingProven).isNever
      ? [{ pointer: `/output${pointerOf(place)}`, detail: never(pointer, sources.nameOf(pointer)) }]
      : [],
  );
  return {
    faults: [...ofSteps.flatMap(({ faults }) => faults), ...nevers],
    open: ofSteps.flatMap(({ open }) => open),
    isComplete: budget.steps >= 0,
  };
}

/**
 * Steps for all of a definition. One of a hundred steps with usual contracts takes some thousands.
 */
const mostSteps = 50_000;

const nothingProven: Proven = { pointers: new Set(), conditions: new Set() };

/** The schemas and contracts that values come from, and what they say. */
interface Sources {
  readonly presenceOf: (pointer: string, proven: Proven) => Presence;
  /** The presence where the value above it has fields or elements. */
  readonly presenceBelow: (pointer: string) => Presence;
  readonly readerOf: (pointer: string) => SchemaReader;
  /** The schema as it stands in the definition; undefined: there is none. */
  readonly schemaOf: (pointer: string) => JsonSchema | undefined;
  /** Its pointer there. */
  readonly nameOf: (pointer: string) => string;
  readonly takenBy: (step: StepDefinition) => readonly Taken[];
  readonly contractOf: (taken: Taken) => SchemaReader;
  readonly steps: ReadonlyMap<string, StepDefinition>;
  readonly budget: Budget;
}

function sourcesOf(definition: WorkflowDefinition, budget: Budget): Sources {
  const { inputSchema, steps } = definition;
  const readers = new Map<Json | undefined, SchemaReader>();
  const read = (schema: JsonSchema | undefined): SchemaReader => {
    const known = readers.get(schema) ?? readSchema(schema);
    readers.set(schema, known);
    return known;
  };
  const closed = closeObjects(inputSchema);
  const byName = new Map(steps.map((step) => [step.name, step]));
  const stepAt = (pointer: string) => byName.get(parsePointer(pointer)[1] ?? "");
  const outputOf = (step: StepDefinition | undefined) =>
    step === undefined ? undefined : returnedBy(step, definition);
  const schemaOf = (pointer: string) =>
    isInput(pointer) ? inputSchema : outputOf(stepAt(pointer));
  const readerOf = (pointer: string) => read(isInput(pointer) ? closed : schemaOf(pointer));
  return {
    steps: byName,
    budget,
    schemaOf,
    readerOf,
    takenBy: (step) => takenBy(step, definition),
    contractOf: ({ schema }) => read(schema),
    nameOf: (pointer) => {
      const step = stepAt(pointer);
      if (isInput(pointer) || step === undefined) return "/inputSchema";
      return sourceBelow(step, pathOf(pointer).keys[0], definition);
    },
    presenceBelow: (pointer) => presenceBelow(readerOf(pointer), pathOf(pointer).keys, budget),
    presenceOf(pointer, proven) {
      const path = pathOf(pointer);
      const presence = presenceAt(readerOf(pointer), path.keys, {
        provenTo: provenTo(path, proven),
        budget,
      });
      const step = isInput(pointer) ? undefined : stepAt(pointer);
      const isSkipped = step !== undefined && !hasRun(step, proven);
      return isSkipped ? { ...presence, isNull: "may" } : presence;
    },
  };
}

/** The schema that says what is below that key of what a step returns, as people find it. */
function sourceBelow(
  step: StepDefinition,
  key: Key | undefined,
  { forms = {} }: Pick<WorkflowDefinition, "forms">,
): string {
  switch (step.kind) {
    case undefined:
      return `/outputs/${escaped(contractNameOf(step))}`;
    case "wait":
      return "what a wait returns";
    case "signal":
      return key === "payload" ? `/signals/${escaped(step.signal)}` : "what a wait returns";
    case "approval":
      return key === "form" && own(forms, step.name) !== undefined
        ? `/forms/${escaped(step.name)}`
        : "what an approval returns";
  }
}

const isInput = (pointer: string): boolean => parsePointer(pointer)[0] === "input";
const areInput = (pointers: readonly string[]): boolean => pointers.every(isInput);

interface Path {
  /** `input`, or the step. */
  readonly root: string;
  readonly keys: readonly Key[];
}

/** `each` stands in a pointer as no field does. */
const eachPart = "\u0001";

function pathOf(pointer: string): Path {
  const [root, ...parts] = parsePointer(pointer);
  const below = root === "steps" ? parts.slice(1) : parts;
  return {
    root: root === "steps" ? `steps/${parts[0]}` : "input",
    keys: below.map((part) => (part === eachPart ? each : part)),
  };
}

/** Keys of a path to which the values are proven to be there; -1: none. */
function provenTo({ root, keys }: Path, { pointers }: Proven): number {
  return Math.max(
    -1,
    ...[...pointers].map(pathOf).map((known) => {
      if (known.root !== root) return -1;
      const differs = known.keys.findIndex((key, index) => key !== keys[index]);
      return differs === -1 ? known.keys.length : differs;
    }),
  );
}

interface Use {
  readonly place: readonly Key[];
  readonly pointer: string;
  /** What is handed on, of which it is a part; null: a ref leads to it. */
  readonly within: string | null;
  readonly how: How;
}

/** How the value of a ref comes to its place: as it is, unless this says otherwise. */
interface How {
  /** Whether it is a part of a text, which null is none of. */
  readonly isText?: true;
  /** Whether something stands for it where it is missing. */
  readonly isReplaced?: true;
  /** Whether it stands for another value that is missing. */
  readonly isChoice?: true;
}

/** The places of refs in a template. */
function refsIn(template: Template, place: readonly Key[], how: How = {}): readonly Use[] {
  if (Array.isArray(template)) {
    return template.flatMap((item: Json, index) => refsIn(item, [...place, index], how));
  }
  const expression = expressionIn(template);
  switch (expression?.kind) {
    case "ref":
      return [{ place, pointer: expression.pointer, within: null, how }];
    case "literal":
      return [];
    case "concat":
      return expression.parts.flatMap((part) => refsIn(part, place, { ...how, isText: true }));
    case "fallback":
      return [
        ...refsIn(expression.value, place, { ...how, isReplaced: true }),
        ...refsIn(expression.other, place, { ...how, isChoice: true }),
      ];
    case undefined:
      return isObject(template)
        ? Object.entries(template).flatMap(([key, part]) => refsIn(part, [...place, key], how))
        : [];
  }
}

const pointerOf = (place: readonly Key[]): string =>
  place.map((key) => `/${isSeveral(key) ? "*" : escaped(String(key))}`).join("");

/** All that is followed into one field of a step. */
interface Flow {
  readonly step: StepDefinition;
  readonly taken: Taken;
  readonly index: number;
  readonly sources: Sources;
  readonly proven: Proven;
  readonly contract: SchemaReader;
  readonly faults: FieldFault[];
  readonly open: OpenUse[];
  /** Numbers of the parts of schemas that were met. */
  readonly numbers: Map<Json, number>;
}

function flowInto(
  { step, taken, index }: Pick<Flow, "step" | "taken" | "index">,
  sources: Sources,
): Pick<Flow, "faults" | "open"> {
  const flow: Flow = {
    step,
    taken,
    index,
    sources,
    proven: provenBy(step, sources.steps),
    contract: sources.contractOf(taken),
    faults: [],
    open: [],
    numbers: new Map(),
  };
  for (const use of refsIn(taken.template, [])) {
    followValue(flow, use);
    if (use.how.isText !== true && !isWithin(flow, use)) followFields(flow, use, []);
  }
  return flow;
}

/** Whether a missing value is taken where a ref to it stands. */
function followValue(flow: Flow, use: Use): void {
  const { sources, proven } = flow;
  const presence = sources.presenceOf(use.pointer, proven);
  if (presence.isNever) {
    const detail = never(use.pointer, sources.nameOf(use.pointer));
    flow.faults.push({ pointer: pointerOfUse(flow, use), detail });
    return;
  }
  if (use.how.isReplaced === true) return;
  const isText = use.how.isText === true;
  const chance = isText ? worse(presence.absent, presence.isNull) : presence.absent;
  const isField = typeof use.place.at(-1) === "string";
  const mayBeAbsent = isField && chance !== "no";
  judgeGap(flow, use, { chance, missing: isField ? "absent" : "null", mayBeAbsent });
  if (!isText) judgeGap(flow, use, { chance: presence.isNull, missing: "null", mayBeAbsent });
}

const pointerOfUse = ({ index, taken }: Flow, { place }: Use): string =>
  `/steps/${index}/${taken.field}${pointerOf(place)}`;

interface PossibleGap {
  readonly chance: Chance;
  readonly missing: Missing;
  /** A field that is not always there. */
  readonly mayBeAbsent: boolean;
}

function judgeGap(flow: Flow, use: Use, { chance, missing, mayBeAbsent }: PossibleGap): void {
  if (chance === "no") return;
  const { taken, sources, proven, contract } = flow;
  const isSure = (other: string): boolean => {
    const { absent, isNever } = sources.presenceOf(other, proven);
    return absent === "no" && !isNever;
  };
  const demand = demandAt(
    contract,
    { template: taken.template, place: use.place, missing, mayBeAbsent },
    { isSure, budget: sources.budget },
  );
  if (demand === "fits") return;
  if (chance === "may" && demand === "refuses") {
    flow.faults.push({ pointer: pointerOfUse(flow, use), detail: optional(flow, use, missing) });
  } else leaveOpen(flow, use, { missing, demand });
}

function leaveOpen(flow: Flow, use: Use, found: Pick<OpenUse, "missing" | "demand">): void {
  const { step, taken } = flow;
  const { pointer, within, how } = use;
  const isAlone = how.isText !== true && how.isChoice !== true;
  const isOne = isAlone && found.demand === "refuses" && !use.place.some(isSeveral);
  const isCertain =
    areInput([pointer, ...(step.onlyIf === null ? [] : refsOfCondition(step.onlyIf))]) &&
    (isOne || areInput(refsOf(taken.template)));
  flow.open.push({
    ...found,
    step: step.name,
    within,
    shows: isCertain ? "submission" : "run",
    pointer: pointerOfUse(flow, use),
    value: shown(pointer),
  });
}

/** Whether what is missing below a value is taken, where the value is handed on as it is. */
function followFields(flow: Flow, use: Use, above: readonly string[]): void {
  const { sources, contract } = flow;
  const reader = sources.readerOf(use.pointer);
  const taken = schemasAt(contract, use.place);
  const given = schemasAt(reader, pathOf(use.pointer).keys);
  const pair = pairOf(flow, given, taken);
  // Schemas may refer to themselves.
  if (taken.length === 0 || above.includes(pair)) return;
  if (!spend(sources.budget, given.length + taken.length)) {
    leaveOpen(flow, use, { missing: "absent", demand: "unknown" });
    return;
  }
  const met = [...above, pair];
  for (const name of new Set([...namesIn(contract, taken), ...namesIn(reader, given), anyOther])) {
    const pointer = `${use.pointer}/${escaped(name)}`;
    followBelow(
      flow,
      { place: [...use.place, name], pointer, within: use.pointer, how: use.how },
      met,
    );
  }
  if (taken.some((schema) => schemasOfElement(contract, schema, each).length > 0)) {
    const pointer = `${use.pointer}/${eachPart}`;
    followBelow(
      flow,
      { place: [...use.place, each], pointer, within: use.pointer, how: use.how },
      met,
    );
  }
}

function followBelow(flow: Flow, use: Use, met: readonly string[]): void {
  const presence = flow.sources.presenceBelow(use.pointer);
  if (isImpossible(presence)) return;
  const chance = presence.isNever ? "may" : presence.absent;
  const mayBeAbsent = chance !== "no" && typeof use.place.at(-1) === "string";
  judgeGap(flow, use, { chance, missing: "absent", mayBeAbsent });
  if (presence.isNever) return;
  judgeGap(flow, use, { chance: presence.isNull, missing: "null", mayBeAbsent });
  followFields(flow, use, met);
}

/** What is given and what is taken, by the numbers of the parts of schemas. */
function pairOf({ numbers }: Flow, given: readonly Json[], taken: readonly Json[]): string {
  const numberOf = (schema: Json): number => {
    const number = numbers.get(schema) ?? numbers.size;
    numbers.set(schema, number);
    return number;
  };
  return [given, taken].map((schemas) => schemas.map(numberOf).join()).join("|");
}

/** Whether all that a value may be is what its contract takes, word for word. */
function isWithin({ sources, taken }: Flow, { place, pointer }: Use): boolean {
  const given = sources.schemaOf(pointer);
  if (place.length > 0 || pathOf(pointer).keys.length > 0) return false;
  if (given === undefined || taken.schema === undefined) return false;
  const [one, other] = [given, taken.schema].map((schema) => canonicalJson(schemaMeaning(schema)));
  return one === other;
}

/** The parts of a schema that may say something of a place, those among alternatives too. */
function schemasAt(reader: SchemaReader, path: readonly Key[]): readonly JsonSchema[] {
  let all = ofSameValue(reader, [reader.root]);
  for (const key of path) {
    const below = all.flatMap((schema) => [
      ...(key === each ? [] : schemasPossibleFor(reader, schema, String(key))),
      ...(typeof key === "number" ? schemasOfElement(reader, schema, key) : []),
    ]);
    all = ofSameValue(reader, below);
  }
  return all;
}

function ofSameValue(reader: SchemaReader, schemas: readonly Json[]): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const pending: (Json | undefined)[] = [...schemas];
  for (
    let schema = pending.pop();
    pending.length > 0 || schema !== undefined;
    schema = pending.pop()
  ) {
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    pending.push(targetOf(reader, schema));
    for (const word of composing) pending.push(...listOf(reader, schema, word));
    for (const word of conditional) pending.push(own(schema, word));
    for (const word of ["dependentSchemas", "dependencies"]) {
      pending.push(...Object.values(mapOf(reader, schema, word)));
    }
  }
  return [...found];
}

/** The names of fields that schemas know. */
const namesIn = (reader: SchemaReader, schemas: readonly JsonSchema[]): readonly string[] =>
  schemas.flatMap((schema) => [
    ...Object.keys(mapOf(reader, schema, "properties")),
    ...patternsIn(reader, schema),
    ...listOf(reader, schema, "required").map(String),
    ...dependent.flatMap((keyword) =>
      Object.entries(mapOf(reader, schema, keyword)).flatMap(([name, names]) => [
        name,
        ...(Array.isArray(names) ? names.map(String) : []),
      ]),
    ),
  ]);

const shown = (pointer: string): string =>
  pointer
    .split("/")
    .map((part) => (part === eachPart || isSeveral(part) ? "*" : part))
    .join("/");

const never = (pointer: string, schema: string): string =>
  `refers to ${shown(pointer)}, which is never there by ${schema}: correct the pointer, or name the field in the schema`;

function optional({ taken, sources, proven }: Flow, { pointer }: Use, missing: Missing): string {
  const value = shown(pointer);
  const source = sources.steps.get(parsePointer(pointer)[1] ?? "");
  const isSkipped = value.startsWith("/steps/") && source !== undefined && !hasRun(source, proven);
  const why = isSkipped
    ? `which is null where step "${source.name}" is skipped`
    : `which may be missing or null by ${sources.nameOf(pointer)}`;
  const orElse = `have the step's condition say that ${value} exists, or give it a fallback`;
  if (taken.field === "until") {
    return `waits until ${value}, ${why}, and a wait needs an instant: make it required in that schema, ${orElse}`;
  }
  if (taken.field === "excludes") {
    return `excludes the principal of ${value}, ${why}, so it would not be known who may not decide: make it required in that schema, ${orElse}`;
  }
  const needs = missing === "absent" ? "requires it" : "takes no null there";
  return `takes ${value}, ${why}; the contract of ${taken.by} ${needs}: make it required in that schema, optional in the contract, ${orElse}`;
}
