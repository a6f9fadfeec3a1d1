import { createDatabase, type Database } from "@holdfast/local-stack";
import { testServerUrl } from "./test-server-url.ts";

const templateVariable = "TEST_MIGRATED_DATABASE";
const serverUrl = () => testServerUrl("TEST_STATE_STORE_URL");

/** An empty database of one's own on the server of this test run, dropped on disposal. */
export const testDatabase = (): Promise<Database> => createDatabase(serverUrl());

/**
 * Creates a migrated database: a copy of one that was migrated when the run began, in a tenth of
 * the time that `migrate` takes.
 */
export function migratedDatabase(): Promise<Database> {
  const template = process.env[templateVariable] ?? "";
  if (template === "") throw new Error(`${templateVariable} is not set: run this test with Jest.`);
  return createDatabase(serverUrl(), { template });
}

/** Migrates the database that the tests of this run copy. */
export async function makeTemplate(migrate: (url: string) => Promise<unknown>): Promise<Database> {
  const template = await createDatabase(serverUrl());
  await migrate(template.url);
  process.env[templateVariable] = new URL(template.url).pathname.slice(1);
  return template;
}
