import { freePort, isPortTaken, onFreePorts } from "@holdfast/local-stack";
import { disposableStack } from "@holdfast/runtime/disposable-stack";
import { readLogLine } from "../processes/log-line.ts";
import { type PreparedProcess, prepareProcess } from "../processes/prepare-process.ts";
import { type ServiceName, serviceMains } from "./service-mains.ts";

/**
 * A workflow may be saved before its Agent: its tasks wait for it, and holdfast why says so. The version in a file
 * stands for the newest: what is stored has a version that follows from its content.
 */
const lenient = { UNKNOWN_AGENTS: "accept", UNKNOWN_VERSIONS: "newest" };

type Started = Exclude<ServiceName, "agent">;

/** Where the services of a project find each other. */
export interface Places {
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
}

/** The services, of which those have loaded their packages that the first task needs. */
export interface PreparedServices extends AsyncDisposable {
  /**
   * Starts them and resolves to the API's URL once the first task can be done. The Supervisor starts a moment later:
   * it mends what has gone wrong for seconds, and would take its part of the processor from the others.
   */
  begin(places: Places): Promise<string>;
}

interface Options {
  readonly folder: string;
  readonly cacheFolder: string;
  /** The first port to try for the API. */
  readonly port: number;
  readonly operatorToken: string;
  readonly say: (line: string) => void;
}

/** Milliseconds after the others are ready. */
const supervisorAfter = 1_000;

const common = ["@holdfast/state-store", "@holdfast/messaging"];
const packagesOf: Readonly<Record<Started, readonly string[]>> = {
  submission: [...common, "fastify"],
  scheduler: common,
  supervisor: common,
};

/** Prepares one process for each service. Disposing stops them. */
export function prepareServices(options: Options): PreparedServices {
  const { folder, cacheFolder, port, operatorToken, say } = options;
  const mains = serviceMains();
  const stack = disposableStack();
  let isStopping = false;
  const prepare = (name: Started): PreparedProcess => {
    const packages = packagesOf[name];
    return stack.use(prepareProcess({ main: mains[name], packages, folder, cacheFolder }));
  };
  let submission: PreparedProcess | null = prepare("submission");
  const scheduler = prepare("scheduler");
  return {
    async begin({ stateStoreUrl, brokerUrl }) {
      const shared = { STATE_STORE_URL: stateStoreUrl, BROKER_URL: brokerUrl };
      const start = (name: Started, service: PreparedProcess, own = {}) => {
        const ready = untilReady(name, service, say);
        service.begin({ ...shared, ...own });
        return ready;
      };
      const api = { ...lenient, OPERATOR_TOKEN: operatorToken, CONSOLE: "on" };
      // Another project may be starting, and take the port before our service does.
      const startApi = async () => {
        const service = submission ?? prepare("submission");
        submission = null;
        const http = { HTTP_HOST: "127.0.0.1", HTTP_PORT: String(await freePort(port)) };
        return start("submission", service, { ...http, ...api });
      };
      const [ready] = await Promise.all([onFreePorts(startApi), start("scheduler", scheduler)]);
      const later = setTimeout(() => {
        start("supervisor", prepare("supervisor")).catch((error: Error) => {
          if (!isStopping) say(error.message);
        });
      }, supervisorAfter);
      stack.defer(() => clearTimeout(later));
      return String(ready["url"]);
    },
    [Symbol.asyncDispose]() {
      isStopping = true;
      return stack.disposeAsync();
    },
  };
}

/** Resolves to what a service says when it is ready. Its warnings go to the terminal. */
function untilReady(
  name: Started,
  service: PreparedProcess,
  say: (line: string) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  const lastLines: string[] = [];
  service.onLine((line) => {
    const read = readLogLine(line);
    if (read.kind === "ready") resolve(read.fields);
    if (read.kind === "trouble" && read.isError && !isPortTaken(read.text)) {
      say(`${name}: ${read.text}`);
    }
    if (read.kind === "other") return;
    lastLines.push(line);
    if (lastLines.length > 5) lastLines.shift();
  });
  const ended = () =>
    reject(
      new Error(`The ${name} ended at its start: ${lastLines.join(" ") || "it said nothing"}`),
    );
  void service.exited.then(ended);
  return promise;
}
