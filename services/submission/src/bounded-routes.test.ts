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
