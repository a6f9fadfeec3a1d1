import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Ajv } from "ajv";
import { finishTask } from "../../test/finish-task.ts";
import { listRoutes } from "../../test/list-routes.ts";
import { asOperator, authorization, idOf, openTrips, type TripService } from "../../test/trips.ts";

let trips: TripService;
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
      }
    >
  >;
}
let document: Document;
beforeAll(async () => {
  trips = await openTrips();
  await trips.clear();
  document = (await trips.get("/v1/openapi.json", {})).json<Document>();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );

test("the document has every route, each with a name of its own, a tag, a summary and its problems", async () => {
  expect(document.openapi).toBe("3.1.0");
  const routes = await listRoutes();
  const pathOf = (url: string) => url.replaceAll(/:([a-z]+)/g, "{$1}");
  const expected = routes.map(({ method, url }) => `${method.toLowerCase()} ${pathOf(url)}`);
  const found = operations();
  expect(found.map(({ path, method }) => `${method} ${path}`).toSorted()).toEqual(
    expected.toSorted(),
  );
  expect(new Set(found.map(({ operationId }) => operationId)).size).toBe(found.length);
  for (const { operationId, tags, summary, responses } of found) {
    expect({ operationId, tags: tags.length, ends: summary.endsWith(".") }).toEqual({
      operationId,
      tags: 1,
      ends: true,
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["4XX", "5XX"]));
    expect(Object.keys(responses["4XX"]?.content ?? {})).toEqual(["application/problem+json"]);
  }
});

/** What is wrong with an answer by the schema of that name. */
function faultsOf(name: string, answer: unknown) {
  const ajv = new Ajv({ strict: false, formats: { "date-time": true } });
  ajv.addSchema({ $id: "document", components: document.components });
  const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
  validate(answer);
  return validate.errors ?? [];
}

test("the answers are what the document says", async () => {
  const ask = async (path: string) => (await trips.get(path)).json<unknown>();
  const id = idOf(await trips.submit({ key: "k", labels: { a: "b" }, fairness: { key: "ann" } }));
  const ended = idOf(await trips.submit());
  await finishTask(trips.url, ended);
  await trips.post("/v1/workflows/trip.v1/pause", asOperator, { authorization });
  await trips.post(`/v1/tasks/${id}/pause`, asOperator, { authorization, "if-match": '"1"' });
  const answers: readonly (readonly [string, unknown])[] = [
    ["Task", await ask(`/v1/tasks/${id}`)],
    ["Task", await ask(`/v1/tasks/${ended}`)],
    ["Task", await ask("/v1/tasks/by-key?workflow=trip&key=k")],
    ["TaskResult", await ask(`/v1/tasks/${ended}/result`)],
    ["TaskPage", await ask("/v1/tasks")],
    ["TaskCount", await ask("/v1/tasks/count")],
    ["History", await ask(`/v1/tasks/${id}/history`)],
    ["Workflows", await ask("/v1/workflows")],
    ["StoredWorkflow", await ask("/v1/workflows/trip")],
    ["Agents", await ask("/v1/agents")],
    ["Pauses", await ask("/v1/pauses")],
    ["Remotes", await ask("/v1/remotes")],
    ["Problem", await ask("/v1/tasks/none")],
    ["Problem", (await trips.submit({ key: "k" })).json()],
    ["Problem", (await trips.submit({ input: {} })).json()],
    ["Accepted", (await trips.submit()).json()],
  ];
  for (const [name, answer] of answers)
    expect({ name, faults: faultsOf(name, answer) }).toEqual({ name, faults: [] });
  // And a schema that is not met is noticed.
  expect(faultsOf("Task", { id })).not.toEqual([]);
});

test("the page of the document may ask no other host, and names none", async () => {
  const page = await trips.get("/docs/", {});
  expect(page.statusCode).toBe(200);
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toMatch(/default-src 'self'/);
  expect(policy).not.toMatch(/https?:|\*/);
  const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "");
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) {
    const url = new URL(file, "http://holdfast.test/docs/");
    expect(url.host).toBe("holdfast.test");
    expect((await trips.get(url.pathname, {})).statusCode).toBe(200);
  }
});
