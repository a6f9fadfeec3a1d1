import { globSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../program-at.ts";
import { postgresRelease } from "./postgres-releases.ts";
import { rabbitmqRelease, serversCache } from "./rabbitmq-releases.ts";
import type { Release } from "./release.ts";
import { type Counts, runTests } from "./run-tests.ts";
import { type Line, writePage } from "./write-page.ts";

const { values } = parseArgs({
  options: {
    rabbitmq: { type: "string", default: "3.10,4.0,4.3" },
    postgres: { type: "string", default: "15,16,17,18" },
    /** Which sets run: those of a server's own tests, and the one of each pair. */
    sets: { type: "string", default: "rabbitmq,postgres,pairs" },
    /** Leaves the page as it is. */
    "no-page": { type: "boolean", default: false },
  },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);
const cache = serversCache();
const logs = join(repository, ".holdfast/servers");
const page = join(repository, "docs/evidence/servers.md");

/**
 * The tests that show what a server does to us: of RabbitMQ, of Postgres, and of both beside each
 * other.
 */
const sets = {
  rabbitmq: ["packages/messaging/src/"],
  postgres: ["packages/state-store/src/"],
  pairs: [
    "packages/cli/src/direct/doctor.integration.test.ts",
    "packages/cli/src/direct/doctor-broker.integration.test.ts",
    "packages/cli/src/topology/topology.integration.test.ts",
    "packages/messaging/src/connection/refused-login",
    "packages/messaging/src/consume/consuming",
    "packages/messaging/src/publish/publishing",
    "packages/state-store/src/claim/pools",
    "packages/state-store/src/postgres/foreign-settings",
    "packages/state-store/src/postgres/refused-login",
    "packages/state-store/src/postgres/statement-types",
    "packages/state-store/src/migrate/migrate.integration.test.ts",
  ],
} as const;

/** The test files that begin so, from the root. */
const filesOf = (patterns: readonly string[]): readonly string[] =>
  globSync("{packages,services,tests}/**/*.{integration,system}.test.ts", {
    cwd: repository,
    exclude: ["**/node_modules/**", "**/dist/**"],
  })
    .filter((file) => patterns.some((pattern) => file.startsWith(pattern)))
    .toSorted();

const listOf = (text: string): readonly string[] => text.split(",").filter((one) => one !== "");

/** Gets each release; one that cannot be had here is left out, and the page says why. */
async function releasesOf(
  names: readonly string[],
  get: (name: string, cache: string) => Promise<Release>,
): Promise<readonly (Release & { readonly problem: string | null })[]> {
  const found = [];
  for (const name of names) {
    const release = await get(name, cache).then(
      (one) => ({ ...one, problem: null }),
      (error: Error) => ({ name, variables: {}, problem: error.message.split("\n")[0] ?? "" }),
    );
    say(`${name}: ${release.problem ?? "ready"}`);
    found.push(release);
  }
  return found;
}

await mkdir(cache, { recursive: true });
await mkdir(logs, { recursive: true });
const rabbitmqs = await releasesOf(listOf(values.rabbitmq), rabbitmqRelease);
const postgreses = await releasesOf(listOf(values.postgres), postgresRelease);
const lines: Line[] = [];

async function run(
  set: keyof typeof sets,
  [rabbitmq, postgres]: readonly [(typeof rabbitmqs)[number], (typeof postgreses)[number]],
): Promise<void> {
  const problem = rabbitmq.problem ?? postgres.problem;
  const name = `${set}-${rabbitmq.name}-${postgres.name}`;
  const files = filesOf(sets[set]);
  const counts: Counts | null =
    problem === null
      ? await runTests({ rabbitmq, postgres, files, log: join(logs, `${name}.log`) })
      : null;
  const date = new Date().toISOString().slice(0, 10);
  const line: Line = {
    set,
    rabbitmq: rabbitmq.name,
    postgres: postgres.name,
    counts,
    problem,
    date,
  };
  lines.push(line);
  say(`${name}: ${counts === null ? problem : `${counts.passed} passed, ${counts.failed} failed`}`);
  if (!values["no-page"]) await writeFile(page, writePage(await readFile(page, "utf8"), [line]));
}

const asked = listOf(values.sets);
const [newestRabbitmq, newestPostgres] = [rabbitmqs.at(-1), postgreses.at(-1)];
if (newestRabbitmq === undefined || newestPostgres === undefined) throw new Error("Name releases.");
if (asked.includes("rabbitmq")) {
  for (const one of rabbitmqs) await run("rabbitmq", [one, newestPostgres]);
}
if (asked.includes("postgres")) {
  for (const one of postgreses) await run("postgres", [rabbitmqs[0]!, one]);
}
if (asked.includes("pairs")) {
  for (const rabbitmq of rabbitmqs) {
    for (const postgres of postgreses) await run("pairs", [rabbitmq, postgres]);
  }
}
if (!values["no-page"]) say(`written: ${page}`);
process.exitCode = lines.some(({ counts }) => counts !== null && counts.failed > 0) ? 1 : 0;
