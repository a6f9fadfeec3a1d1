import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { Pool } from "pg";
import { openTestStore, type TestStore } from "../../test/fixtures.ts";
import { listText } from "./query.ts";

let store: TestStore;
let pool: Pool;
beforeAll(async () => {
  store = await openTestStore();
  pool = new Pool({ connectionString: store.url, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await store[Symbol.asyncDispose]();
});

/** What Postgres makes of a list of that type. */
async function readBack(type: string, list: readonly unknown[]): Promise<unknown> {
  const { rows } = await pool.query<{ list: unknown }>(
    `select coalesce(json_agg(item order by place), '[]') as list
       from unnest($1::${type}[]) with ordinality as given (item, place)`,
    [listText(list)],
  );
  return rows[0]?.list;
}

const unit = fc.oneof(
  fc.constantFrom('"', "\\", ",", "{", "}", " ", "\n", "NULL", "'"),
  fc.string({ unit: "grapheme", maxLength: 1 }).filter((text) => !text.includes("\0")),
);
const orNull = <Value>(of: fc.Arbitrary<Value>) => fc.array(fc.option(of), { maxLength: 6 });

test.each([
  ["text", orNull(fc.string({ unit }))],
  ["boolean", orNull(fc.boolean())],
  ["integer", orNull(fc.integer())],
  ["float8", orNull(fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0))],
  ["json", orNull(fc.jsonValue().map((value) => JSON.stringify(value).replaceAll("\\u0000", "")))],
])("Postgres reads a list of %s as it was", async (type, lists) => {
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const expected =
        type === "json"
          ? list.map((item) => (item === null ? null : JSON.parse(String(item))))
          : list;
      expect(await readBack(type, list)).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

test("what is no list of texts and numbers is for the driver", () => {
  for (const value of [null, "a", 1, { a: 1 }, [Buffer.from("a")], [["a"]], [new Date(0)]]) {
    expect(listText(value)).toBe(value);
  }
  expect(listText([undefined, true, 9n])).toBe("{NULL,true,9}");
});
