import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { queryOnce } from "@holdfast/local-stack";
import { root } from "./public-packages.ts";

/**
 * Servers of one's own, as a team gets them: with an administrator each, and nothing of Holdfast.
 */
export interface OwnServers extends AsyncDisposable {
  /** An empty database, as the superuser `postgres`. */
  readonly stateStoreUrl: string;
  /** RabbitMQ's HTTP API, as an administrator. */
  readonly managementUrl: string;
  readonly brokerUrl: string;
}

/**
 * Starts a Postgres and a RabbitMQ beside those of the test run: users and roles are of a whole
 * server.
 */
export async function startOwnServers(dataFolder: string): Promise<OwnServers> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^TEST_|_URL$/.test(name)),
  );
  const node = ["--conditions=@holdfast/source", "--disable-warning=ExperimentalWarning"];
  const script = `
    const { startLocalStack } = await import("@holdfast/local-stack");
    await using stack = await startLocalStack({ purpose: "demo", management: true, dataFolder: ${JSON.stringify(dataFolder)} });
    console.log(JSON.stringify({ postgres: stack.postgres.url, broker: stack.broker.url, management: stack.broker.managementUrl }));
    process.stdin.resume();
    await new Promise((resolve) => process.stdin.once("end", resolve));
  `;
  const child = spawn(process.execPath, [...node, "--input-type=module", "--eval", script], {
    cwd: join(root, "tests/outside"),
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (value === undefined) throw new Error("The servers did not start");
  const urls = JSON.parse(value) as Readonly<Record<string, string>>;
  const server = new URL(urls["postgres"] ?? "");
  // The first superuser has the name of the owner that logins.sql makes.
  const admin = "create role postgres superuser login password 'only-for-this-test'";
  await queryOnce(server.href, admin);
  Object.assign(server, { username: "postgres", password: "only-for-this-test" });
  server.pathname = "/postgres";
  await queryOnce(server.href, "alter role holdfast rename to bootstrap");
  await queryOnce(server.href, "create database holdfast encoding 'UTF8' template template0");
  server.pathname = "/holdfast";
  return {
    stateStoreUrl: server.href,
    managementUrl: urls["management"] ?? "",
    brokerUrl: urls["broker"] ?? "",
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
