import { errorText } from "@holdfast/domain";
import { freePort, isPortTaken, onFreePorts } from "@holdfast/local-stack";
import type { Environment } from "@holdfast/runtime";
import { disposableStack } from "@holdfast/runtime/disposable-stack";
import type { OneProcess, PartName } from "../one-process/one-process.ts";
import { readLogLine } from "../processes/log-line.ts";

/**
 * A workflow may be saved before its Agent: its tasks wait for it, and holdfast why says so. The
 * version in a file stands for the active one: what is stored has a version that follows from its
 * content.
 */
const lenient = { UNKNOWN_AGENTS: "accept", UNKNOWN_VERSIONS: "newest" };

/**
 * Pages that a developer serves on this machine: the development server of an application has a
 * port of its own.
 */
const pagesOfThisMachine = "http://localhost:*,http://127.0.0.1:*,http://[::1]:*";

/** Addresses by which the services of a project find each other. */
export interface Places {
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
}

/** The services of a project, in this process. Disposing stops them. */
export interface Services extends AsyncDisposable {
  /**
   * Starts them and resolves to the API's URL once the first task can be done. The Supervisor
   * starts a moment later: it mends what has gone wrong for seconds, and would take its part of the
   * processor from the others.
   */
  begin(places: Places): Promise<string>;
}

interface ServiceOptions {
  /** The first port to try for the API. */
  readonly port: number;
  readonly operatorToken: string;
  /** The path of the file that says who is who; null: the environment names one. */
  readonly accessFile: string | null;
  readonly say: (line: string) => void;
  /** Aborted with a `Crash` by a service that ends by itself. */
  readonly stop: AbortController;
}

/** Why everything stops without a signal. */
export class Crash extends Error {
  override readonly name = "Crash";
}

/** Milliseconds after the others are ready. */
const supervisorAfter = 1_000;

/**
 * Loads what the first task needs, with the libraries: it takes the processor for a moment that
 * nothing else needs.
 */
export async function loadServices(options: ServiceOptions): Promise<Services> {
  const { port, operatorToken, accessFile, say, stop } = options;
  const { loadService, openOneProcess } = await import("../one-process/one-process.ts");
  const stack = disposableStack();
  const services: OneProcess = stack.use(
    openOneProcess({ onCrash: (name, error) => stop.abort(crashOf(name, error)) }),
  );
  const start = async (name: PartName, env: Environment) => {
    const onLine = (line: string): void => {
      const read = readLogLine(line);
      const isTrouble = read.kind === "trouble" && read.isError && !isPortTaken(read.text);
      if (isTrouble) say(`${name}: ${read.text}`);
    };
    const all = { ...settingsOfUser(), ...env };
    return services.start(await loadService(name), { env: all, onLine }).ready;
  };
  await Promise.all([loadService("submission"), loadService("scheduler")]);
  return {
    async begin({ stateStoreUrl, brokerUrl }) {
      // The servers are the project's by now, and its store may be another one than at its last
      // start.
      const servers = { STATE_STORE_URL: stateStoreUrl, BROKER_URL: brokerUrl };
      const shared = { ...servers, BROKER_TAKE_OVER: "on" };
      const CORS_ORIGINS = process.env["CORS_ORIGINS"] ?? pagesOfThisMachine;
      const known = accessFile === null ? {} : { ACCESS_FILE: accessFile };
      const access = { OPERATOR_TOKEN: operatorToken, ...known };
      const api = { ...lenient, ...access, CONSOLE: "on", CORS_ORIGINS };
      // Another project may be starting, and take the port before our service does.
      const startApi = async () => {
        const http = { HTTP_HOST: "127.0.0.1", HTTP_PORT: String(await freePort(port)) };
        return start("submission", { ...shared, ...http, ...api });
      };
      const [ready] = await Promise.all([onFreePorts(startApi), start("scheduler", shared)]);
      const later = setTimeout(() => {
        start("supervisor", shared).catch((error: unknown) =>
          say(`supervisor: ${errorText(error)}`),
        );
      }, supervisorAfter);
      stack.defer(() => clearTimeout(later));
      return String(ready["url"]);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/**
 * What the user has set for the services, such as `RETENTION`. The options of Node have had their
 * effect already.
 */
function settingsOfUser(): Environment {
  const { NODE_OPTIONS: _, ...settings } = process.env;
  return settings;
}

/** An error of no service is one of ours, so where it was thrown matters. */
function crashOf(name: string | null, error: unknown): Crash {
  if (name !== null) return new Crash(`The ${name} crashed: ${errorText(error)}`);
  const stack = error instanceof Error ? error.stack : undefined;
  return new Crash(`holdfast dev crashed: ${stack ?? errorText(error)}`);
}
