import { Payload, unboundedParts } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { listRoutes, openRoutes } from "../test/list-routes.ts";

test("every part of a path, of a query and of a body has a bound that the store can keep", async () => {
  const routes = await listRoutes();
  expect(routes.length).toBeGreaterThan(30);
  const faults = routes.flatMap(({ method, url, params, querystring, body }) => {
    const path = url.includes(":") ? unboundedParts(params ?? {}) : [];
    const query = querystring === undefined ? [] : unboundedParts(querystring);
    const hasBody = method === "POST" || method === "PUT";
    // The route of a definition takes any JSON, holds it to `payloadFaults`, and says all that is
    // wrong with it.
    const taken = (body as Schema | undefined)?.$ref === "WorkflowDefinition#" ? Payload : body;
    const parts = [...path, ...query, ...(hasBody ? unboundedParts(taken ?? {}) : [])];
    return parts.map((part) => `${method} ${url}: ${part}`);
  });
  expect(faults).toEqual([]);
});

test("no route asks the store with a text of its path or query that no store can keep", async () => {
  await using opened = await openRoutes();
  const asked = opened.routes.flatMap(({ method, url, querystring }) => {
    const path = url.replaceAll(/:\w+/g, "a%00b");
    const named = Object.keys((querystring as Schema | undefined)?.properties ?? {});
    const requests = named.map((name) => `${path.replaceAll("%00", "")}?${name}=a%00b`);
    return [...(path === url ? [] : [path]), ...requests].map((one) => ({ method, url: one }));
  });
  expect(asked.length).toBeGreaterThan(60);
  const answers = asked.map(async ({ method, url }) => {
    const { statusCode } = await opened.app.inject({ method: method as "GET", url });
    return statusCode === 422 ? [] : [`${method} ${url}: ${statusCode}`];
  });
  expect((await Promise.all(answers)).flat()).toEqual([]);
});

interface Schema {
  readonly $ref?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** One of C0 and C1 each, a deletion, and two that turn the direction. */
const commands = ["\0", "\b", "\r", "\u001b", "\u007f", "\u009b", "\u202e", "\u2066"];

test("no name and no words of an operator command the terminal of who reads them", async () => {
  const texts = (await listRoutes()).flatMap(({ method, url, body, querystring }) =>
    [body, querystring].flatMap((part) =>
      ["actor", "reason"].flatMap((name) => {
        const text = (part as Schema | undefined)?.properties?.[name];
        return text === undefined ? [] : [{ place: `${method} ${url}: ${name}`, text }];
      }),
    ),
  );
  expect(texts.length).toBeGreaterThan(30);
  const open = texts.filter(({ text: { pattern = "" } }) =>
    commands.some((command) => new RegExp(pattern, "u").test(`a${command}b`)),
  );
  expect(open.map(({ place }) => place)).toEqual([]);
});

test("a definition that is no payload is refused by its route, whatever its depth", async () => {
  await using opened = await openRoutes();
  let deep: object = {};
  for (let level = 0; level < 100; level += 1) deep = { deep };
  const { statusCode, body } = await opened.app.inject({
    method: "PUT",
    url: "/v1/workflows/deep.v1",
    payload: { format: 1, name: "deep.v1", steps: [], extra: deep },
  });
  expect(statusCode).toBe(422);
  expect(body).toContain("workflow.invalid");
});
