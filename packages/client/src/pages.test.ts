import { expect, test } from "@jest/globals";
import { holdfastClient } from "./holdfast-client.ts";

/**
 * A client whose service has no items, and the limits that were sent to it, as they were written.
 */
function clientOf() {
  const limits: unknown[] = [];
  const client = holdfastClient({
    url: "http://holdfast.test",
    fetch: async (asked, init) => {
      const text = typeof init?.body === "string" ? /"limit":([^,}]*)/.exec(init.body)?.[1] : null;
      limits.push(
        text ?? new URL(asked instanceof Request ? asked.url : asked).searchParams.get("limit"),
      );
      return new Response(JSON.stringify({ items: [], next: null }));
    },
  });
  return { client, limits };
}

const largest = String(Number.MAX_SAFE_INTEGER);

test.each<[string, (client: ReturnType<typeof clientOf>["client"], limit: number) => unknown]>([
  ["tasks", ({ tasks }, limit) => tasks.list({}, { limit })],
  ["a search", ({ tasks }, limit) => tasks.search({ limit })],
  ["bulk operations", ({ bulk }, limit) => bulk.list({ limit })],
  ["the tasks of a bulk operation", ({ bulk }, limit) => bulk.items("1", { limit })],
  ["dead letters", ({ deadLetters }, limit) => deadLetters.list({ limit })],
])("a limit of %s is sent in digits, and lowered to the largest safe integer", async (_, list) => {
  const { client, limits } = clientOf();
  for (const limit of [1, 500, 2 ** 31, 1e21, Number.POSITIVE_INFINITY]) await list(client, limit);
  expect(limits).toEqual(["1", "500", "2147483648", largest, largest]);
});
