import { join, resolve } from "node:path";
import { disposableStack } from "@holdfast/runtime/disposable-stack";
import { holdfastFolder, takeDataFolder } from "./folders/data-folder.ts";
import { removeDataFolder } from "./folders/unprivileged-home.ts";
import { queryOnce } from "./postgres/query-once.ts";
import type { Choice } from "./providers/choose-provider.ts";
import { chooseBroker, choosePostgres } from "./providers/choose-servers.ts";
import { connectOnce } from "./rabbitmq/connect-once.ts";
import type { BrokerServer, PostgresServer } from "./server.ts";
import type { StackOptions } from "./stack-options.ts";

/** A Postgres and a RabbitMQ that answer. Disposing stops what was started for it, and no more. */
export interface LocalStack extends AsyncDisposable {
  readonly postgres: PostgresServer & Choice;
  readonly broker: BrokerServer & Choice;
}

export interface LocalStackOptions extends Partial<StackOptions> {
  /** Forget what an earlier start left in the data folder. */
  readonly fresh?: boolean;
  /**
   * Called as soon as Postgres answers, while RabbitMQ still starts; with whether the server is our
   * own.
   */
  readonly onPostgres?: (url: string, isOurs: boolean) => Promise<void>;
}

/**
 * Finds or starts both servers, by whatever the machine offers, and says which it chose and why. A
 * demo keeps its data from start to start; a test leaves nothing behind.
 */
export async function startLocalStack({
  purpose = "demo",
  dataFolder: givenFolder = join(holdfastFolder(), purpose),
  fresh = false,
  management = purpose === "test",
  packageFolder = join(holdfastFolder(), "rabbitmq-package"),
  log = () => {},
  onPostgres = async () => {},
  onBrokerStart = () => {},
  onBrokerLoaded = () => {},
}: LocalStackOptions = {}): Promise<LocalStack> {
  // The servers have working folders of their own.
  const dataFolder = resolve(givenFolder);
  await using started = disposableStack();
  if (purpose === "test") started.defer(() => removeDataFolder(dataFolder));
  started.use(takeDataFolder(dataFolder, { fresh }));

  const settings = { purpose, dataFolder, management, packageFolder, log };
  const options = { ...settings, onBrokerStart, onBrokerLoaded };
  const [postgres, broker] = await bothOrNeither(
    startTimed("postgres", () => choosePostgres(options), versionOfPostgres).then((found) =>
      afterStart(found, onPostgres),
    ),
    startTimed("broker rabbitmq", () => chooseBroker(options), versionOfBroker),
  );
  started.use(postgres.server);
  started.use(broker.server);
  log(`${postgres.line} · ${broker.line}`);
  log(`postgres: ${postgres.server.why} · broker: ${broker.server.why}`);

  const all = started.move();
  return {
    postgres: postgres.server,
    broker: broker.server,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A server that cannot be used is stopped again. */
async function afterStart(
  started: Started<PostgresServer>,
  onPostgres: NonNullable<LocalStackOptions["onPostgres"]>,
): Promise<Started<PostgresServer>> {
  const { server } = started;
  try {
    await onPostgres(server.url, server.provider !== "url");
    return started;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

interface Started<Server> {
  readonly server: Server & Choice;
  readonly line: string;
}

async function startTimed<Server extends { readonly url: string }>(
  name: string,
  choose: () => Promise<Choice & { readonly start: () => Promise<Server> }>,
  versionAt: (url: string) => Promise<string>,
): Promise<Started<Server>> {
  const { provider, why, start } = await choose();
  const from = performance.now();
  const server = await start();
  const seconds = ((performance.now() - from) / 1_000).toFixed(1);
  const version = await versionAt(server.url);
  const line = `${name} ${version} ${provider} (${seconds} s)`;
  return { server: Object.assign(server, { provider, why }), line };
}

/** Two servers start at once; if one cannot, the other is stopped before the fault goes on. */
async function bothOrNeither<A extends AsyncDisposable, B extends AsyncDisposable>(
  first: Promise<Started<A>>,
  second: Promise<Started<B>>,
): Promise<[Started<A>, Started<B>]> {
  const settled = await Promise.allSettled([first, second]);
  if (settled.some(({ status }) => status === "rejected")) {
    for (const result of settled) {
      if (result.status === "fulfilled") await result.value.server[Symbol.asyncDispose]();
    }
  }
  return Promise.all([first, second]);
}

async function versionOfPostgres(url: string): Promise<string> {
  const rows = await queryOnce<{ version: string }>(
    url,
    "select split_part(current_setting('server_version'), ' ', 1) as version",
  );
  return rows.map(({ version }) => version).join();
}

const versionOfBroker = connectOnce;
