import { describe, expect, test } from "@jest/globals";
import { brokerDefinitions } from "./broker-definitions.ts";
import { readFile } from "./repository.ts";

const local = readFile("infra/kubernetes/overlays/local/10-users.json");

interface Definitions {
  readonly queues: readonly { readonly name: string }[];
  readonly permissions: readonly { readonly user: string; readonly configure: string }[];
}

/** What Compose makes at its first start. */
function usersMade(): string {
  const script = readFile("infra/docker/make-secrets.mjs");
  const [, plain = ""] = /const users = \[([^\]]*)\]/.exec(script) ?? [];
  const names = [...plain.matchAll(/"([a-z]+)"/g), ...script.matchAll(/\{ name: "([a-z]+)"/g)];
  return JSON.stringify({ users: names.map(([, name]) => ({ name, tags: [] })) });
}

interface Users {
  readonly users: readonly { readonly name: string; readonly tags: readonly string[] }[];
}

describe.each(Object.keys(brokerDefinitions))("%s", (name) => {
  const found = JSON.parse(readFile(name)) as Definitions;

  test("the file equals the output of write-broker-definitions", () => {
    expect(found).toEqual(brokerDefinitions[name]);
  });

  test("the file lets users declare only queues that they must inspect, and each Agent its own", () => {
    const declaring = found.permissions.filter(({ configure }) =>
      found.queues.some(({ name: queue }) => new RegExp(configure).test(queue)),
    );
    expect(declaring.map(({ user }) => user)).toEqual(["scheduler", "supervisor"]);
  });
});

test.each([
  ["make-secrets.mjs", usersMade(), "definitions.json"],
  ["the local overlay", local, "definitions-per-agent.json"],
])("in %s every user with rights has a password, and there is no guest", (_, text, file) => {
  const { users } = JSON.parse(text) as Users;
  const { permissions } = JSON.parse(readFile(`infra/rabbitmq/${file}`)) as Definitions;
  const names = users.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(permissions.map(({ user }) => user)));
  expect(names).not.toContain("guest");
});
