import { homedir } from "node:os";
import { join } from "node:path";
import { createDatabase, startLocalStack } from "@holdfast/local-stack";
import { migrate } from "@holdfast/state-store";
import type { Places } from "./start-services.ts";

interface Options {
  readonly dataFolder: string;
  readonly fresh: boolean;
  readonly say: (line: string) => void;
}

/** Finds or starts Postgres and RabbitMQ, and brings the state store to the schema of this release. */
export async function startServers({
  dataFolder,
  fresh,
  say,
}: Options): Promise<Places & AsyncDisposable> {
  let stateStoreUrl = "";
  const stack = await startLocalStack({
    purpose: "demo",
    dataFolder,
    fresh,
    // One for all projects of this person.
    packageFolder: join(homedir(), ".cache/holdfast/rabbitmq-package"),
    log: say,
    onPostgres: async (url, isOurs) => {
      stateStoreUrl = isOurs ? await databaseOn(url) : url;
      await migrate(stateStoreUrl);
    },
  });
  return {
    stateStoreUrl,
    brokerUrl: stack.broker.url,
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
