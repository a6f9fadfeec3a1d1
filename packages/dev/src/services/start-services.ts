import { freePort } from "@holdfast/local-stack";
import { disposableStack } from "@holdfast/runtime";
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

/** The services, which have loaded their packages. */
export interface PreparedServices extends AsyncDisposable {
  /** Starts them and resolves to the API's URL once all are ready. */
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

const packagesOf: Readonly<Record<Started, readonly string[]>> = {
  submission: ["@holdfast/state-store", "@holdfast/messaging", "fastify"],
  scheduler: ["@holdfast/state-store", "@holdfast/messaging"],
  supervisor: ["@holdfast/state-store", "@holdfast/messaging"],
};
const names = Object.keys(packagesOf) as readonly Started[];

/** Prepares one process for each service. Disposing stops them. */
export function prepareServices(options: Options): PreparedServices {
  const { folder, cacheFolder, port, operatorToken, say } = options;
  const mains = serviceMains();
  const prepared = new Map(
    names.map((name) => [
      name,
      prepareProcess({ main: mains[name], packages: packagesOf[name], folder, cacheFolder }),
    ]),
  );
  const stack = disposableStack();
  for (const one of prepared.values()) stack.use(one);
  return {
    async begin({ stateStoreUrl, brokerUrl }) {
      const shared = { STATE_STORE_URL: stateStoreUrl, BROKER_URL: brokerUrl };
      const http = { HTTP_HOST: "127.0.0.1", HTTP_PORT: String(await freePort(port)) };
      const own: Readonly<Record<Started, Readonly<Record<string, string>>>> = {
        submission: { ...http, ...lenient, OPERATOR_TOKEN: operatorToken, CONSOLE: "on" },
        scheduler: {},
        supervisor: {},
      };
      const ready = await Promise.all(
        [...prepared].map(([name, one]) => {
          const fields = untilReady(name, one, say);
          one.begin({ ...shared, ...own[name] });
          return fields.then((line) => ({ name, line }));
        }),
      );
      return String(ready.find(({ name }) => name === "submission")?.line["url"]);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
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
    if (read.kind === "trouble" && read.isError) say(`${name}: ${read.text}`);
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
