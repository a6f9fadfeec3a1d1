import { endOfSignal, returnedBy } from "@holdfast/contracts";
import {
  decodePercents,
  expressionIn,
  familyOf,
  isCall,
  type OperationSchemas,
  type StepDefinition,
  type Template,
  type WorkflowDefinition,
} from "@holdfast/domain";

/** A JSON Schema, or a part of the document. */
interface Part {
  readonly [key: string]: unknown;
}

/** The document, as far as it is changed. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Part>>>>;
  readonly components: Part & { readonly schemas: Readonly<Record<string, Part>> };
}

/** A workflow that tasks can be submitted to, with the nouns at which that is done. */
export interface TypedWorkflow {
  readonly definition: WorkflowDefinition;
  readonly collections: readonly string[];
}

/**
 * The document with the schemas of workflows: a body of a submission names one of them and has its
 * input, a result is one of theirs, and each noun has a path of its own. Clients that are generated
 * from it know what their tasks take and return.
 */
export function withWorkflows(document: object, workflows: readonly TypedWorkflow[]): object {
  const plain = document as Document;
  if (workflows.length === 0) return plain;
  const schemas = openSchemas(plain.components.schemas);
  const typed = workflows.map((workflow) => typesOf(workflow, schemas));
  const { TaskResult, Task } = plain.components.schemas;
  const anyResult = { anyOf: [...typed.map(({ result }) => result), { type: "null" }] };
  schemas.put("TaskResult", withProperty(TaskResult, "result", anyResult));
  schemas.put("Task", withProperty(Task, "result", anyResult));
  return {
    ...plain,
    paths: Object.fromEntries([
      ...Object.entries(plain.paths).flatMap(([path, methods]) =>
        path === "/v1/{collection}"
          ? []
          : [[path, path === "/v1/tasks" ? withSubmissions(methods, { typed, schemas }) : methods]],
      ),
      ...typed.flatMap((one) => collectionPaths(one, plain.paths["/v1/{collection}"])),
    ]) as object,
    components: { ...plain.components, schemas: schemas.all() },
  };
}

interface Typed {
  /** The workflow without its version, as a name of types. */
  readonly name: string;
  readonly workflow: TypedWorkflow;
  /** References to the schemas of what it takes and what it results in. */
  readonly input: Part;
  readonly result: Part;
}

interface Typing {
  readonly typed: readonly Typed[];
  readonly schemas: Schemas;
}

/** The named schemas of the document. */
interface Schemas {
  put(name: string, schema: Part): void;
  /** A name that no schema has yet. */
  free(wanted: string): string;
  all(): Readonly<Record<string, Part>>;
}

function openSchemas(known: Readonly<Record<string, Part>>): Schemas {
  const schemas = new Map(Object.entries(known));
  return {
    put: (name, schema) => void schemas.set(name, schema),
    free(wanted) {
      let name = wanted;
      for (let number = 2; schemas.has(name); number += 1) name = `${wanted}${number}`;
      return name;
    },
    all: () => Object.fromEntries(schemas),
  };
}

function typesOf(workflow: TypedWorkflow, schemas: Schemas): Typed {
  const { definition } = workflow;
  const name = pascal(familyOf(definition.name));
  const inputName = hoist(definition.inputSchema, `${name}Input`, schemas);
  const hoistEach = (of: OperationSchemas = {}, what: string) =>
    new Map(
      Object.entries(of).map(([own, schema]) => [
        own,
        once(() => hoist(schema, `${name}${pascal(own)}${what}`, schemas)),
      ]),
    );
  const outputs = hoistEach(definition.outputs, "Output");
  const signals = hoistEach(definition.signals, "Signal");
  const result = resultSchema(definition, { inputName, outputs, signals, schemas });
  const resultName = schemas.free(`${name}Result`);
  schemas.put(resultName, { ...result, description: `What ${definition.name} results in.` });
  return { name, workflow, input: refTo(inputName), result: refTo(resultName) };
}

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** `book-trip` is `BookTrip`. */
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

/**
 * Makes a schema, and what it defines for itself, named schemas of the document: generators do not
 * look for definitions within a schema. Returns the name that it has there.
 */
function hoist(schema: Part, wanted: string, schemas: Schemas): string {
  const name = schemas.free(wanted);
  const { $defs, definitions, $schema: _, $id: _id, ...root } = schema;
  schemas.put(name, root);
  const places = new Map<string, string>([["#", `#/components/schemas/${name}`]]);
  const parts: (readonly [string, Part])[] = [[name, root]];
  for (const [key, defined] of [
    ["$defs", $defs],
    ["definitions", definitions],
  ] as const) {
    for (const [own, part] of Object.entries((defined ?? {}) as Readonly<Record<string, Part>>)) {
      const named = schemas.free(`${name}${pascal(own)}`);
      schemas.put(named, part);
      parts.push([named, part]);
      const place = `#/${key}/${own.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      places.set(place, `#/components/schemas/${named}`);
    }
  }
  for (const [named, part] of parts) schemas.put(named, rewritten(part, places) as Part);
  return name;
}

/** A schema with its references to what is a named schema by now. */
function rewritten(value: unknown, places: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => rewritten(one, places));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "$ref" && typeof part === "string" ? placeOf(part, places) : rewritten(part, places),
    ]),
  );
}

function placeOf(ref: string, places: ReadonlyMap<string, string>): string {
  const known = places.get(decodePercents(ref) ?? ref);
  if (known !== undefined) return known;
  const [inner] = [...places].filter(([place]) => place !== "#" && ref.startsWith(`${place}/`));
  if (inner !== undefined) return inner[1] + ref.slice(inner[0].length);
  return ref.startsWith("#/") ? `${places.get("#")}${ref.slice(1)}` : ref;
}

interface Sources {
  readonly inputName: string;
  /** Makes the schema of what an operation returns a named one, by `<agent>.<operation>`. */
  readonly outputs: ReadonlyMap<string, () => string>;
  /** Makes the schema of what a signal carries a named one, by its name. */
  readonly signals: ReadonlyMap<string, () => string>;
  readonly schemas: Schemas;
}

/** What is known of a value: its schema, and whether it is there for sure. */
interface Known {
  readonly schema: Part;
  readonly isThere: boolean;
}

const anything: Known = { schema: {}, isThere: false };

/** The schema of what the output of a workflow becomes. */
function resultSchema(definition: WorkflowDefinition, sources: Sources): Part {
  const schemaOfStep = (step: StepDefinition): Part | null => {
    if ("signal" in step) {
      const carried = sources.signals.get(step.signal)?.();
      return carried === undefined ? null : endOfSignal(step, refTo(carried));
    }
    if (!isCall(step)) return returnedBy(step, definition) ?? null;
    const hoisted = sources.outputs.get(`${step.agent}.${step.operation}`)?.();
    return hoisted === undefined ? null : refTo(hoisted);
  };
  const lookUp = (pointer: string): Known => {
    const [, root, ...path] = pointer.split("/").map(unescaped);
    if (root === "input") return walk({ ...refTo(sources.inputName) }, path, sources.schemas);
    const [name = "", ...below] = path;
    const step = definition.steps.find((one) => one.name === name);
    if (root !== "steps" || step === undefined) return anything;
    const returned = schemaOfStep(step);
    if (returned === null) return anything;
    const { schema, isThere } = walk(returned, below, sources.schemas);
    if (step.onlyIf === null) return { schema, isThere };
    // A step that was skipped has null in the place of all that it would have returned.
    return { schema: { anyOf: [schema, { type: "null" }] }, isThere };
  };
  return schemaOf(definition.output, lookUp).schema;
}

const unescaped = (key: string): string => key.replaceAll("~1", "/").replaceAll("~0", "~");

/** What is known of a place below a schema. */
function walk(schema: Part, path: readonly string[], schemas: Schemas): Known {
  let at = schema;
  let isThere = true;
  for (const key of path) {
    const {
      properties = {},
      required = [],
      items,
      prefixItems,
    } = resolved(at, schemas) as {
      readonly properties?: Readonly<Record<string, Part>>;
      readonly required?: readonly string[];
      readonly items?: Part;
      readonly prefixItems?: readonly Part[];
    };
    const isIndex = /^\d+$/.test(key);
    const found = Object.hasOwn(properties, key)
      ? properties[key]
      : isIndex
        ? (prefixItems?.[Number(key)] ?? items)
        : undefined;
    if (found === undefined || typeof found !== "object") return anything;
    isThere = isThere && required.includes(key);
    at = found;
  }
  return { schema: at, isThere };
}

function resolved(schema: Part, schemas: Schemas): Part {
  let at = schema;
  for (let steps = 0; steps < 10 && typeof at["$ref"] === "string"; steps += 1) {
    const [, name = ""] = /^#\/components\/schemas\/([^/]+)$/.exec(at["$ref"]) ?? [];
    const found = schemas.all()[name];
    if (found === undefined) return {};
    at = found;
  }
  return at;
}

type LookUp = (pointer: string) => Known;

function schemaOf(template: Template, lookUp: LookUp): Known {
  if (template === null || typeof template !== "object") return there(constant(template));
  const expression = expressionIn(template);
  switch (expression?.kind) {
    case "literal":
      return there({ const: expression.value });
    case "ref":
      return lookUp(expression.pointer);
    case "concat":
      return { schema: { type: "string" }, isThere: false };
    case "fallback": {
      const value = schemaOf(expression.value, lookUp);
      const other = schemaOf(expression.other, lookUp);
      return { schema: { anyOf: [value.schema, other.schema] }, isThere: other.isThere };
    }
    case undefined:
      return there(
        Array.isArray(template)
          ? listSchema(template as readonly Template[], lookUp)
          : objectSchema(template as Readonly<Record<string, Template>>, lookUp),
      );
  }
}

const there = (schema: Part): Known => ({ schema, isThere: true });

const constant = (value: string | number | boolean | null): Part =>
  value === null ? { type: "null" } : { type: typeof value, enum: [value] };

function listSchema(items: readonly Template[], lookUp: LookUp): Part {
  const known = items.map((item) => schemaOf(item, lookUp));
  // A value that is missing is null in a list.
  const each = known.map(({ schema, isThere }) =>
    isThere ? schema : { anyOf: [schema, { type: "null" }] },
  );
  return { type: "array", items: each.length === 0 ? {} : { anyOf: each } };
}

function objectSchema(fields: Readonly<Record<string, Template>>, lookUp: LookUp): Part {
  const known = Object.entries(fields).map(([key, part]) => [key, schemaOf(part, lookUp)] as const);
  return {
    type: "object",
    properties: Object.fromEntries(known.map(([key, { schema }]) => [key, schema])),
    required: known.filter(([, { isThere }]) => isThere).map(([key]) => key),
  };
}

const withProperty = (schema: Part | undefined, name: string, property: Part): Part => {
  const properties = (schema?.["properties"] ?? {}) as Readonly<Record<string, Part>>;
  const { description } = properties[name] ?? {};
  return { ...schema, properties: { ...properties, [name]: { ...property, description } } };
};

/** `POST /v1/tasks` with one schema of its body for each workflow. */
function withSubmissions(
  methods: Readonly<Record<string, Part>>,
  { typed, schemas }: Typing,
): Readonly<Record<string, Part>> {
  const { post } = methods;
  if (post === undefined) return methods;
  const { examples: _, ...body } = bodyOf(post);
  const bodies = typed.map(({ name, workflow: { definition }, input }) => {
    const own = schemas.free(`${name}Submission`);
    const names = [familyOf(definition.name), definition.name];
    const workflow = { type: "string", enum: names };
    const asked = withProperty(withProperty(body, "workflow", workflow), "input", input);
    const required = new Set([...((asked["required"] ?? []) as readonly string[]), "input"]);
    schemas.put(own, {
      ...asked,
      required: [...required],
      description: `A task of ${definition.name}.`,
    });
    return refTo(own);
  });
  const [only] = bodies;
  const schema = bodies.length === 1 ? (only ?? {}) : { oneOf: bodies };
  return { ...methods, post: withBody(post, schema) };
}

interface WithBody {
  readonly content: { readonly "application/json": { readonly schema: Part } };
}

const bodyOf = (operation: Part): Part =>
  (operation["requestBody"] as WithBody).content["application/json"].schema;

const withBody = (operation: Part, schema: Part): Part => ({
  ...operation,
  requestBody: {
    ...(operation["requestBody"] as WithBody),
    content: { "application/json": { schema } },
  },
});

/** The paths of the nouns of a workflow, in the place of the one that all workflows share. */
function collectionPaths(
  { name, workflow: { collections, definition }, input }: Typed,
  shared: Readonly<Record<string, Part>> | undefined,
): readonly (readonly [string, object])[] {
  const { post } = shared ?? {};
  if (post === undefined) return [];
  const parameters = ((post["parameters"] ?? []) as readonly Part[]).filter(
    (parameter) => parameter["in"] !== "path",
  );
  return collections.map((noun, at) => {
    const operationId = `submit${name}${at === 0 ? "" : String(at + 1)}`;
    const summary = `Submits a task of ${definition.name}. 202 when it is durable.`;
    const operation = { ...withBody(post, input), parameters, operationId, summary };
    return [`/v1/${noun}`, { post: operation }] as const;
  });
}
