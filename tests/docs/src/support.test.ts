import { describe, expect, test } from "@jest/globals";
import { load } from "./reference/load.ts";
import { markdownFiles, readFile } from "./repository.ts";

interface Range {
  readonly from: string;
  readonly to: string;
}

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFile(`${folder}package.json`));

/** A version as a page writes it. */
const written = (version: number | readonly number[]): string => [version].flat().join(".");

async function testedServers(): Promise<Readonly<Record<"Postgres" | "RabbitMQ", Range>>> {
  const { testedVersions } = await load("packages/diagnosis/src/doctor/tested-versions.ts");
  const { postgres, rabbitmq } = testedVersions as Readonly<
    Record<"postgres" | "rabbitmq", Readonly<Record<"from" | "to", number | readonly number[]>>>
  >;
  return {
    Postgres: { from: written(postgres.from), to: written(postgres.to) },
    RabbitMQ: { from: written(rabbitmq.from), to: written(rabbitmq.to) },
  };
}

/** The cells of a row of the table of the README. */
function rowOf(readme: string, title: string): readonly string[] {
  const line = readme.split("\n").find((one) => one.startsWith(`| ${title}`)) ?? "";
  return line.split("|").map((cell) => cell.trim());
}

describe("the README", () => {
  const readme = readFile("README.md");

  test("names the version of the packages", () => {
    expect(readme).toContain(`**Status:** version ${manifestOf("").version}`);
  });

  test("names the servers that doctor accepts, and up to which version they are tested", async () => {
    for (const [server, { from, to }] of Object.entries(await testedServers())) {
      expect(rowOf(readme, server).slice(2, 4)).toEqual([from, to]);
    }
  });

  test("names the Node that packages and repository ask for, and the one that runs the tests", () => {
    const [, wanted] = /^const wanted = "(\d+)\./m.exec(readFile("tools/node.mjs")) ?? [];
    const oldest = (folder: string) => manifestOf(folder).engines.node.replace(">=", "");
    expect(rowOf(readme, "Node, for services").slice(2, 4)).toEqual([
      oldest("packages/agent/"),
      wanted,
    ]);
    expect(rowOf(readme, "Node, for work").slice(2, 4)).toEqual([oldest(""), wanted]);
    expect(readFile(".nvmrc").trim()).toBe(wanted);
  });
});

test.each(markdownFiles)("%s asks for no other servers than doctor", async (page) => {
  const servers = await testedServers();
  const asked = [
    ...readFile(page).matchAll(/(Postgres|RabbitMQ)\*{0,2} (\d[\d.]*\d|\d+) or newer/g),
  ];
  const wrong = asked.filter(([, server, from]) => servers[server as "Postgres"].from !== from);
  expect(wrong.map(([text]) => text)).toEqual([]);
});
