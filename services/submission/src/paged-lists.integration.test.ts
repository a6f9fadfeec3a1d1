import { queryOnce } from "@holdfast/local-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { listRoutes, openApiDocument } from "../test/list-routes.ts";
import { asOperator, authorization, openTrips, type TripService } from "../test/trips.ts";

let trips: TripService;
beforeAll(async () => {
  trips = await openTrips();
  await trips.clear();
  await queryOnce(
    trips.url,
    `insert into state.dead_letter_actions (dead_letter_id, queue, action, actor, reason, at)
     select number, 'q', 'discard', 'operator:ann', 'old', now() - number % 3 * interval '1 minute'
       from generate_series(1, 7) as number`,
  );
  for (const name of ["hotels", "payments", "rooms", "hotels", "rooms"]) {
    await trips.post(`/v1/agents/${name}/pause`, asOperator, { authorization });
    await trips.post(`/v1/agents/${name}/resume`, asOperator, { authorization });
  }
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});

interface Page {
  readonly items: readonly object[];
  readonly next: string | null;
}
const read = async (path: string): Promise<Page> => (await trips.get(path)).json<Page>();

async function pagesOf(path: string, limit: number): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let after: string | null = null;
  do {
    const more: string = after === null ? "" : `&after=${encodeURIComponent(after)}`;
    const page: Page = await read(`${path}?limit=${limit}${more}`);
    pages.push(page);
    after = page.next;
  } while (after !== null && pages.length < 20);
  return pages;
}

test.each(["/v1/workflows", "/v1/agents", "/v1/pauses", "/v1/dead-letter-actions"])(
  "the pages of %s together are the whole list, in its order, each once",
  async (path) => {
    const whole = await read(path);
    expect(whole.next).toBeNull();
    expect(whole.items.length).toBeGreaterThan(3);
    for (const limit of [1, 2, 3]) {
      const pages = await pagesOf(path, limit);
      expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
      expect(pages.slice(0, -1).every(({ items }) => items.length === limit)).toBe(true);
    }
    for (const limit of [100_000, 2 ** 31 - 1])
      expect(await read(`${path}?limit=${limit}`)).toEqual(whole);
    for (const query of [
      "limit=0",
      "limit=x",
      "limit=2147483648",
      `limit=${"9".repeat(400)}`,
      "after=%20",
      "cursor=x",
    ]) {
      expect([query, (await trips.get(`${path}?${query}`)).statusCode]).toEqual([query, 422]);
    }
  },
);

test("a list that is answered as a whole says that there is no next page", async () => {
  expect(await read("/v1/remotes")).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ name: "hotels" })]),
    next: null,
  });
});

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: object;
  }[];
}

test("every list of the document has limit and after, of one type, and no other name for them", async () => {
  const { paths } = (await openApiDocument()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const asked = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, parameters = [] }) => {
      const query = new Map(
        parameters.filter((one) => one.in === "query").map(({ name, schema }) => [name, schema]),
      );
      expect([operationId, query.has("cursor"), query.has("after")]).toEqual([
        operationId,
        false,
        query.has("limit"),
      ]);
      return query.has("limit") ? [[operationId, query.get("limit")] as const] : [];
    });
  expect(asked.length).toBeGreaterThan(7);
  for (const [operationId, schema] of asked) {
    expect({ operationId, ...schema }).toMatchObject({ operationId, type: "integer", minimum: 1 });
  }
  const search = (await listRoutes()).find(({ operationId }) => operationId === "searchTasks");
  expect(search?.body).toMatchObject({ properties: { limit: { type: "integer" }, after: {} } });
});
