import { expect, test } from "@jest/globals";
import { Ajv } from "ajv";
import { loadFaultCodes } from "./reference/fault-codes-page.ts";
import { readFile } from "./repository.ts";

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The paths of properties and parameters of a document that say nothing of what they mean. */
function undescribed(value: unknown, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => undescribed(one, `${path}/${at}`));
  if (!isObject(value)) return [];
  const { properties, parameters } = value;
  const named = [
    ...(isObject(properties) ? Object.entries(properties) : []),
    ...(Array.isArray(parameters)
      ? parameters.map((one: Json) => [String(one["name"]), one] as const)
      : []),
  ];
  const silent = named.filter(
    ([, one]) => isObject(one) && !("description" in one) && !("$ref" in one),
  );
  const inner = Object.entries(value).flatMap(([key, one]) => undescribed(one, `${path}/${key}`));
  return [...silent.map(([name]) => `${path}/${name}`), ...inner];
}

test("every parameter and property of openapi.json has a description", () => {
  const document: unknown = JSON.parse(readFile("docs/reference/openapi.json"));
  expect(undescribed(document)).toEqual([]);
});

/** The schemas of all parameters and properties of a name. */
function schemasOf(value: unknown, name: string): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap((one) => schemasOf(one, name));
  if (!isObject(value)) return [];
  const own = value["name"] === name && isObject(value["schema"]) ? [value["schema"]] : [];
  const { properties } = value;
  const property = isObject(properties) ? properties[name] : undefined;
  return [
    ...own,
    ...(isObject(property) ? [property] : []),
    ...Object.values(value).flatMap((one) => schemasOf(one, name)),
  ];
}

test("a limit of a page has no maximum: what is above that of the list is lowered, and not refused", () => {
  const { paths }: Json = JSON.parse(readFile("docs/reference/openapi.json"));
  const limits = schemasOf(paths, "limit");
  expect(limits.length).toBeGreaterThan(5);
  expect(limits.filter((schema) => "maximum" in schema || "exclusiveMaximum" in schema)).toEqual(
    [],
  );
});

test("a property and a parameter without a description are found", () => {
  const parameters = [{ name: "limit", in: "query" }];
  const schema = { properties: { id: { type: "string" }, at: { description: "When." } } };
  const document = {
    paths: { "/v1": { get: { parameters } } },
    components: { schemas: { schema } },
  };
  expect(undescribed(document)).toEqual(["/paths//v1/get/limit", "/components/schemas/schema/id"]);
});

interface Content {
  readonly schema: Json;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly "x-codes"?: Readonly<Record<string, readonly string[]>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: Json; readonly content?: Readonly<Record<string, Content>> }
    >
  >;
}

const document = JSON.parse(readFile("docs/reference/openapi.json")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const named = Object.entries(document.components.schemas);

test("every schema of openapi.json that has a name has a description", () => {
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(([, schema]) => !("description" in schema)).map(([name]) => name)).toEqual(
    [],
  );
});

test("every operation has its codes by status, all of which are in the catalogue", async () => {
  const catalogue = await loadFaultCodes();
  const faulty = operations.flatMap(({ operationId, "x-codes": codes = {} }) => {
    const all = Object.entries(codes);
    const strange = all.filter(
      ([status, some]) => !/^[45]\d\d$/.test(status) || some.some((code) => !(code in catalogue)),
    );
    return all.length > 5 && strange.length === 0 ? [] : [operationId];
  });
  expect(faulty).toEqual([]);
});

test("every answer names its request, and a stream has schemas of its events", () => {
  const answers = operations.flatMap(({ responses }) => Object.values(responses));
  expect(answers.filter(({ headers = {} }) => !("x-request-id" in headers))).toEqual([]);
  const streams = answers.flatMap(({ content = {} }) => content["text/event-stream"] ?? []);
  expect(streams.length).toBeGreaterThan(1);
  for (const { schema } of streams) expect(JSON.stringify(schema)).toMatch(/schemas\/\w+Event"/);
});

const ajv = new Ajv({ strict: false, formats: { "date-time": true } });
ajv.addSchema({ $id: "document", components: document.components });

/** What is wrong with an example, by a schema of the document. */
function faultsOf(schema: Json, example: unknown) {
  const local = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = ajv.compile(JSON.parse(local) as Json);
  validate(example);
  return validate.errors ?? [];
}

/** The examples of the document, each with the schema that it is to fit. */
const examples = [
  ...named.flatMap(([name, schema]) =>
    [schema["examples"] ?? []].flat().map((example) => ({ name, schema, example })),
  ),
  ...operations.flatMap(({ operationId: name, requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema, example }) =>
      example === undefined ? [] : [{ name, schema, example }],
    ),
  ),
];

test.each(examples)("the example of $name fits its schema", ({ schema, example }) => {
  expect(faultsOf(schema, example)).toEqual([]);
  expect(faultsOf(schema, 1)).not.toEqual([]);
});

test("submitting, tasks, problems and bulk operations have examples", () => {
  expect(examples.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "Task",
      "TaskResult",
      "Accepted",
      "Problem",
      "BulkOperation",
      "submitTask",
      "createBulkOperation",
    ]),
  );
});
