import { homedir } from "node:os";
import { join } from "node:path";
import { createDatabase, startLocalStack } from "@holdfast/local-stack";
import { type DevClock, foreignClock, migrateWithClock } from "../clock/dev-clock.ts";
import { claimBroker, foreignServer, type Project } from "./claim-servers.ts";
import type { Places } from "./start-services.ts";

interface ServerOptions {
  readonly dataFolder: string;
  readonly owner: Project;
  readonly fresh: boolean;
  readonly say: (line: string) => void;
  /** Called once the state store can be used and it is known where the broker will answer. */
  readonly onPlaces: (places: Places) => void;
  /** Called, maybe more than once, when there is a processor for other processes as well. */
  readonly onBrokerLoaded: () => void;
}

/** The servers of a project. Disposing stops those that were started. */
interface Servers extends Places, AsyncDisposable {
  readonly clock: DevClock;
}

/**
 * Finds or starts Postgres and RabbitMQ, and brings the state store to the schema of this release.
 */
export async function startServers(options: ServerOptions): Promise<Servers> {
  const { dataFolder, owner, fresh, say, onBrokerLoaded } = options;
  const givenBroker = process.env["BROKER_URL"];
  const places = collectPlaces(options.onPlaces);
  let clock = foreignClock();
  const stack = await startLocalStack({
    purpose: "demo",
    dataFolder,
    fresh,
    // One for all projects of this person.
    packageFolder: join(homedir(), ".cache/holdfast/rabbitmq-package"),
    log: say,
    onPostgres: async (url, isOurs) => {
      const { migrate, migrateForProject } = await import("@holdfast/state-store");
      const stateStoreUrl = isOurs ? await databaseOn(url) : url;
      if (isOurs) clock = await migrateWithClock(stateStoreUrl, migrate);
      else if (!(await migrateForProject(stateStoreUrl, owner))) {
        throw foreignServer("state store", "STATE_STORE_URL");
      }
      if (givenBroker && !(await claimBroker(givenBroker, owner))) {
        throw foreignServer("virtual host", "BROKER_URL");
      }
      places.found({ stateStoreUrl });
    },
    onBrokerStart: (brokerUrl) => places.found({ brokerUrl }),
    onBrokerLoaded,
  });
  places.found({ brokerUrl: stack.broker.url });
  return {
    ...places.known(),
    clock,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/**
 * Says where both servers are as soon as that is known. After that it must stay so: services look
 * for them there.
 */
function collectPlaces(onPlaces: (places: Places) => void) {
  let known = { stateStoreUrl: "", brokerUrl: "" };
  let isSaid = false;
  return {
    known: (): Places => known,
    found(place: Partial<Places>): void {
      if (isSaid && known.brokerUrl !== (place.brokerUrl ?? known.brokerUrl)) {
        throw new Error("Another program took the port of RabbitMQ while it started: start again.");
      }
      known = { ...known, ...place };
      if (isSaid || known.stateStoreUrl === "" || known.brokerUrl === "") return;
      isSaid = true;
      onPlaces(known);
    },
  };
}

/** A database of our own on a server of our own. */
async function databaseOn(serverUrl: string): Promise<string> {
  const url = new URL(serverUrl);
  url.pathname = "/holdfast";
  await createDatabase(serverUrl, { name: "holdfast" }).catch(
    (error: { readonly code?: string }) => {
      if (error.code !== "42P04") throw error; // It is there from an earlier start.
    },
  );
  return url.href;
}
