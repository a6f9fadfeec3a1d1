import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "pg";
import { openTestStore } from "../../test/fixtures.ts";
import { describeRoom, rooms, typesFile, typesFilesIn } from "../../test/statement-types.ts";
import { statementFiles } from "./query.ts";

const sources = fileURLToPath(new URL("..", import.meta.url));

const owner = new AsyncDisposableStack();
let client: Client;
beforeAll(async () => {
  const store = owner.use(await openTestStore());
  client = new Client({ connectionString: store.url });
  await client.connect();
  owner.defer(() => client.end());
});
afterAll(() => owner.disposeAsync());

test.each(rooms)("the types of sql/%s are those of the database", async (room) => {
  const types = await describeRoom(client, room);
  const file = `${sources}${typesFile(room)}`;
  if (process.env["WRITE_STATEMENT_TYPES"] === "yes") writeFileSync(file, types);
  // Run `npm run rows` where they differ, then let the compiler show what reads the old names.
  expect(readFileSync(file, "utf8")).toBe(types);
});

test("each folder of sql/ has a file of types, and each file of types has a folder", () => {
  expect(typesFilesIn(sources)).toEqual(rooms.map(typesFile));
});

const bound = new Set(
  globSync("**/*.ts", { cwd: sources, exclude: ["**/*.test.ts"] }).flatMap((file) =>
    [
      ...readFileSync(`${sources}${file}`, "utf8").matchAll(
        /(?<!\.)\bquery(?:Among)?\(\s*"([a-z-]+)"/g,
      ),
    ].map(([, name]) => name),
  ),
);

test("every statement is bound by its name, and no other", () => {
  expect(bound).toEqual(new Set(statementFiles.keys()));
});
