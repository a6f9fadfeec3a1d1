import { expect, test } from "@jest/globals";
import { filesIn, readFile } from "./repository.ts";

test("logins.sql makes each role that a migration names: the owner of the database may make none", () => {
  const migrations = filesIn("packages/state-store/migrations").map(readFile).join("\n");
  const named = new Set(migrations.match(/\bholdfast_[a-z]+\b/g));
  const made = readFile("infra/postgres/logins.sql").matchAll(/\('(holdfast_\w+)', 'nologin'\)/g);
  expect(new Set([...made].map(([, role]) => role))).toEqual(named);
});
