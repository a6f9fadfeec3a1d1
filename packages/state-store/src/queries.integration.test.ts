import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readQuery } from "./query.ts";
import { openTestStore, type TestStore } from "./testing.ts";

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

const names = readdirSync(new URL("../sql/", import.meta.url)).map((file) =>
  file.replace(".sql", ""),
);

test.each(names)("%s is valid against the migrated schema", async (name) => {
  const { text, parameters } = readQuery(name);
  await store.query(`prepare checked as ${text}`);
  const [prepared] = await store.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = 'checked'",
  );
  await store.query("deallocate checked");
  expect(prepared?.types).toHaveLength(parameters.length);
});
