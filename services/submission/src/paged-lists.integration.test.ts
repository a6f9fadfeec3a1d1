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
    for (const limit of aboveAll) expect(await read(`${path}?limit=${limit}`)).toEqual(whole);
    for (const query of ["limit=0", "limit=x", "after=%20", "cursor=x"]) {
      expect([query, (await trips.get(`${path}?${query}`)).statusCode]).toEqual([query, 422]);
    }
  },
);

/**
 * Limits above the maximum of every list, also above what the store and a number of JavaScript can
 * hold.
 */
const aboveAll = [
  "100000",
  String(2 ** 31 - 1),
  String(2 ** 31),
  "9007199254740993",
  "9".repeat(400),
];
const noLimits = ["0", "-1", "1.5", "1e3", "0x10", "", "%20", "+5", "many", "5&limit=6"];

test("no list refuses a limit above its maximum, and each refuses what is no limit, at its place", async () => {
  const lists = (await listRoutes()).filter(
    ({ querystring }) => "limit" in propertiesOf(querystring),
  );
  expect(lists.length).toBeGreaterThan(7);
  // Of what is not there: whatever the limit, a list that takes it says so.
  const paths = lists.map(({ url }) => url.replaceAll(/:\w+/g, "1"));
  const asked = async (path: string, limit: string) => {
    const answer = await trips.get(`${path}?limit=${limit}`);
    return [path, limit, answer.statusCode === 422 ? answer.json().errors[0].pointer : "taken"];
  };
  for (const path of paths) {
    for (const limit of ["1", ...aboveAll])
      expect(await asked(path, limit)).toEqual([path, limit, "taken"]);
    for (const limit of noLimits) expect(await asked(path, limit)).toEqual([path, limit, "/limit"]);
  }
});

const propertiesOf = (schema: unknown): object =>
  (schema as { readonly properties?: object } | undefined)?.properties ?? {};

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
    expect(schema).not.toHaveProperty("maximum");
  }
  const search = (await listRoutes()).find(({ operationId }) => operationId === "searchTasks");
  expect(search?.body).toMatchObject({ properties: { limit: { type: "integer" }, after: {} } });
});
