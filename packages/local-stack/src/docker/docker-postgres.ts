import { passwordFor } from "../folders/passwords.ts";
import { queryOnce } from "../postgres/query-once.ts";
import { freePort } from "../processes/free-port.ts";
import { waitUntilReady } from "../processes/wait-until-ready.ts";
import type { PostgresServer } from "../server.ts";
import { portBase, type StackOptions } from "../stack-options.ts";
import { startContainer } from "./docker-container.ts";

const readyWithinMs = 120_000;
const user = "holdfast";

/** Runs Postgres in a container, on a free port of the loopback interface. Its data end with it. */
export async function startDockerPostgres(
  image: string,
  options: StackOptions,
): Promise<PostgresServer> {
  const password = passwordFor("postgres", options.dataFolder);
  const host = await freePort(portBase("postgres"));
  const container = await startContainer({
    image,
    environment: { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: "postgres" },
    command: ["-c", "shared_preload_libraries=pg_stat_statements"],
    ports: [{ container: 5432, host }],
  });
  const url = `postgres://${user}:${password}@127.0.0.1:${host}/postgres`;
  const ready = () =>
    waitUntilReady(container.watch, () => queryOnce(url, "select 1"), {
      name: "Postgres",
      withinMs: readyWithinMs,
    });
  const start = async () => {
    await container.start();
    await ready();
  };
  await ready();
  return {
    url,
    start,
    kill: () => container.stop("SIGKILL"),
    async restart(mode) {
      await container.stop(mode === "fast" ? "SIGINT" : "SIGQUIT");
      await start();
    },
    [Symbol.asyncDispose]: () => container[Symbol.asyncDispose](),
  };
}
