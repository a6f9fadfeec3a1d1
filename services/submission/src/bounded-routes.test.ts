import { unboundedParts } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { listRoutes } from "../test/list-routes.ts";

test("every part of a path, of a query and of a body has a bound that the store can keep", async () => {
  const routes = await listRoutes();
  expect(routes.length).toBeGreaterThan(30);
  const faults = routes.flatMap(({ method, url, params, querystring, body }) => {
    const path = url.includes(":") ? unboundedParts(params ?? {}) : [];
    const query = querystring === undefined ? [] : unboundedParts(querystring);
    const hasBody = method === "POST" || method === "PUT";
    const parts = [...path, ...query, ...(hasBody ? unboundedParts(body ?? {}) : [])];
    return parts.map((part) => `${method} ${url}: ${part}`);
  });
  expect(faults).toEqual([]);
});

interface Schema {
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
  expect(texts.length).toBeGreaterThan(40);
  const open = texts.filter(({ text: { pattern = "" } }) =>
    commands.some((command) => new RegExp(pattern, "u").test(`a${command}b`)),
  );
  expect(open.map(({ place }) => place)).toEqual([]);
});
