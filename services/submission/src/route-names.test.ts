import { collectionPattern, isReservedCollection, routeNames } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { listRoutes } from "../test/list-routes.ts";

const isCollection = new RegExp(collectionPattern);

test("no collection can have the noun of a route, whichever methods that route has", async () => {
  const routes = await listRoutes();
  const nouns = routes.flatMap(({ url }) => /^\/v1\/([^/:]+)/.exec(url)?.[1] ?? []);
  const possible = [...new Set(nouns)].filter((noun) => isCollection.test(noun)).toSorted();
  expect(possible.filter((noun) => !isReservedCollection(noun))).toEqual([]);
  expect([...routeNames].toSorted()).toEqual(possible);
  expect(isReservedCollection("orders")).toBe(false);
});

test("a collection has one route, at which tasks are submitted", async () => {
  const routes = await listRoutes();
  const ofCollections = routes.filter(({ url }) => url.startsWith("/v1/:"));
  expect(ofCollections.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /v1/:collection",
  ]);
});
