import { expect, test } from "@jest/globals";
import type { Provider } from "../server.ts";
import { chooseProvider, type Force, providerOrder } from "./choose-provider.ts";

const all: readonly Provider[] = ["url", "docker", "embedded", "installed", "package"];
type Case = ["demo" | "test", Force | null, readonly Provider[], Provider | null];

const choose = (purpose: "demo" | "test", force: Force | null, available: readonly Provider[]) =>
  chooseProvider(
    "broker",
    providerOrder(purpose, force),
    Object.fromEntries(
      all.map((provider) => [
        provider,
        async () => (available.includes(provider) ? null : `no ${provider}`),
      ]),
    ),
  ).then(
    ({ provider }) => provider,
    () => null,
  );

test.each<Case>([
  ["test", null, all, "url"],
  ["test", null, ["docker", "embedded", "installed"], "docker"],
  ["test", null, ["embedded", "installed"], "embedded"],
  ["test", null, ["installed", "package"], "installed"],
  ["test", null, ["package"], "package"],
  ["test", null, [], null],
  ["test", "url", ["docker", "installed"], null],
  ["test", "docker", all, "docker"],
  ["test", "docker", ["url", "installed"], null],
  ["test", "local", ["url", "docker", "installed"], "installed"],
  ["test", "local", ["url", "docker"], null],
  ["demo", null, all, "url"],
  ["demo", null, ["docker", "embedded"], "embedded"],
  ["demo", null, ["docker", "installed"], "installed"],
  ["demo", null, ["docker", "package"], "docker"],
  ["demo", null, ["package"], "package"],
  ["demo", "docker", all, "docker"],
])("for a %s, forced to %s, with %j there, takes %s", async (purpose, force, available, chosen) => {
  expect(await choose(purpose, force, available)).toBe(chosen);
});

test("chooseProvider stops probing at the first provider that works", async () => {
  const asked: Provider[] = [];
  const ask = (provider: Provider, obstacle: string | null) => async () => {
    asked.push(provider);
    return obstacle;
  };
  await chooseProvider("broker", ["url", "docker", "installed"], {
    url: ask("url", "no URL"),
    docker: ask("docker", null),
    installed: ask("installed", null),
  });
  expect(asked).toEqual(["url", "docker"]);
});

test("chooseProvider says why preferred providers were not available", async () => {
  const { why } = await chooseProvider("broker", ["docker", "embedded", "installed"], {
    docker: async () => "no Docker daemon answers",
    installed: async () => null,
  });
  expect(why).toBe("it is installed here; no Docker daemon answers");
});

test("chooseProvider lists all reasons if no provider is available", async () => {
  const nothing = chooseProvider("RabbitMQ", ["docker", "installed"], {
    docker: async () => "no Docker daemon answers",
    installed: async () => "rabbitmq-server is not installed",
  });
  await expect(nothing).rejects.toThrow(
    "There is no RabbitMQ to be had: no Docker daemon answers; rabbitmq-server is not installed.",
  );
});
