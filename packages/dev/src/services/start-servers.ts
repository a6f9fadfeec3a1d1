import { homedir } from "node:os";
import { join } from "node:path";
import { createDatabase, startLocalStack } from "@holdfast/local-stack";
import { migrate } from "@holdfast/state-store";
import { type DevClock, foreignClock, migrateWithClock } from "../clock/dev-clock.ts";
import type { Places } from "./start-services.ts";

interface Options {
  readonly dataFolder: string;
  readonly fresh: boolean;
  readonly say: (line: string) => void;
}

/** The servers of a project. Disposing stops those that were started. */
interface Servers extends Places, AsyncDisposable {
  readonly clock: DevClock;
}

/** Finds or starts Postgres and RabbitMQ, and brings the state store to the schema of this release. */
export async function startServers({ dataFolder, fresh, say }: Options): Promise<Servers> {
  let stateStoreUrl = "";
  let clock = foreignClock();
  const stack = await startLocalStack({
    purpose: "demo",
    dataFolder,
    fresh,
    // One for all projects of this person.
    packageFolder: join(homedir(), ".cache/holdfast/rabbitmq-package"),
    log: say,
    onPostgres: async (url, isOurs) => {
      stateStoreUrl = isOurs ? await databaseOn(url) : url;
      if (isOurs) clock = await migrateWithClock(stateStoreUrl, migrate);
      else await migrate(stateStoreUrl);
    },
  });
  return {
    stateStoreUrl,
    brokerUrl: stack.broker.url,
    clock,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/** A database of our own on a server of our own. */
async function databaseOn(serverUrl: string): Promise<string> {
  const url = new URL(serverUrl);
  url.pathname = "/holdfast";
  await createDatabase(serverUrl, "holdfast").catch((error: { readonly code?: string }) => {
    if (error.code !== "42P04") throw error; // It is there from an earlier start.
  });
  return url.href;
}
