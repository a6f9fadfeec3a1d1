import { createDatabase, type Database } from "@holdfast/local-stack";
import { testServerUrl } from "./test-server-url.ts";

/** An empty database of one's own on the server of this test run, dropped on disposal. */
export function testDatabase(): Promise<Database> {
  return createDatabase(testServerUrl("TEST_STATE_STORE_URL"));
}
