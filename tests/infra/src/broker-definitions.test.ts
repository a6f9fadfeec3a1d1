import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { applicationLimits } from "@holdfast/messaging";
import { describe, expect, test } from "@jest/globals";
import { brokerDefinitions, listedUsers } from "./broker-definitions.ts";
import { pathOf, readFile } from "./repository.ts";

const local = readFile("infra/kubernetes/overlays/local/10-users.json");

interface Definitions {
  readonly queues: readonly { readonly name: string }[];
  readonly permissions: readonly { readonly user: string; readonly configure: string }[];
}

/** The files that Compose makes at its first start, by their names. */
function filesMade(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-secrets-"));
  try {
    // As the image has them.
    copyFileSync(pathOf("infra/docker/make-secrets.mjs"), join(folder, "make-secrets.mjs"));
    copyFileSync(
      pathOf("infra/rabbitmq/definitions.json"),
      join(folder, "broker-definitions.json"),
    );
    const env = { SECRETS_FOLDER: folder };
    execFileSync(process.execPath, [join(folder, "make-secrets.mjs")], { env });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    return new Map(
      files
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .map((file) => [relative(folder, file), readFileSync(file, "utf8")]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const made = filesMade();

interface Users {
  readonly users: readonly {
    readonly name: string;
    readonly tags: readonly string[];
    readonly limits?: object;
  }[];
}

describe.each(Object.keys(brokerDefinitions))("%s", (name) => {
  const found = JSON.parse(readFile(name)) as Definitions;

  test("the file equals what `holdfast topology print` makes of infra/users.yaml", () => {
    expect(found).toEqual(brokerDefinitions[name]);
  });

  if (!name.startsWith("infra/rabbitmq/")) return;

  test("the file lets users declare only queues that they must inspect, and each Agent its own", () => {
    const declaring = found.permissions.filter(({ configure }) =>
      found.queues.some(({ name: queue }) => new RegExp(configure).test(queue)),
    );
    expect(declaring.map(({ user }) => user)).toEqual(["scheduler", "supervisor"]);
  });
});

test.each([
  ["make-secrets.mjs", made.get("rabbitmq/10-users.json") ?? "", "definitions.json"],
  ["the local overlay", local, "definitions-per-agent.json"],
])("in %s every user with rights has a password, and there is no guest", (_, text, file) => {
  const { users } = JSON.parse(text) as Users;
  const { permissions } = JSON.parse(readFile(`infra/rabbitmq/${file}`)) as Definitions;
  const names = users.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(permissions.map(({ user }) => user)));
  expect(names).not.toContain("guest");
  const watching = users.filter(({ tags }) => tags.includes("monitoring")).map(({ name }) => name);
  const observers = Object.keys(listedUsers).filter((user) => listedUsers[user] === "observer");
  expect(watching.toSorted()).toEqual(observers.toSorted());
  const limited = users.flatMap(({ name, limits }) => (limits ? [[name, limits]] : []));
  expect(limited).toEqual([["application", applicationLimits()]]);
});

test("each broker user that is shipped is one as whom something connects", () => {
  const overlay = readFile("infra/kubernetes/overlays/local/kustomization.yaml");
  const urls = [...made.values(), overlay].join("\n");
  // Programs that submit by message are not ours.
  const ours = Object.keys(listedUsers).filter((user) => listedUsers[user] !== "application");
  expect(ours.filter((user) => !urls.includes(`://${user}:`))).toEqual([]);
});
