import type { Counts } from "./run-tests.ts";

/** One run of the matrix; `counts` is null where it could not run, and `problem` says why. */
export interface Line {
  readonly set: "rabbitmq" | "postgres" | "pairs";
  readonly rabbitmq: string;
  readonly postgres: string;
  readonly counts: Counts | null;
  readonly problem: string | null;
}

const titles: Readonly<Record<Line["set"], string>> = {
  rabbitmq: "All tests of `packages/messaging`, on each RabbitMQ",
  postgres: "All tests of `packages/state-store`, on each Postgres",
  pairs:
    "Tests of both beside each other, on each pair: doctor, topology, logins, sessions, migrations, statements, messages",
};

/** Writes the page of the matrix. */
export function writePage(lines: readonly Line[], at: Date): string {
  const sets = Object.entries(titles).flatMap(([set, title]) => {
    const rows = lines.filter((line) => line.set === set);
    return rows.length === 0 ? [] : [`## ${title}`, tableOf(rows), ...failuresOf(rows)];
  });
  return `${[head(at), ...sets].join("\n\n")}\n`;
}

const head = (at: Date): string => `# Releases of both servers

\`npm run test:servers -- --rabbitmq 3.10,4.0,4.3 --postgres 15,16,17,18\` wrote this page on ${at.toISOString().slice(0, 10)}. It starts each pair of servers for itself and counts the tests that passed and failed on it. RabbitMQ is the one of this machine, or the one of a suite of Debian, unpacked with all that it needs beside the system's own; Postgres is the newest of each release in the package that all tests have theirs from. What could not be had says so, and has no counts.`;

const header = ["RabbitMQ", "Postgres", "passed", "failed", "seconds"];

function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(({ rabbitmq, postgres, counts, problem }) => [
    rabbitmq,
    postgres,
    ...(counts === null
      ? [`not run: ${problem}`, "-", "-"]
      : [counts.passed, counts.failed, counts.seconds].map((count) => count.toLocaleString("en"))),
  ]);
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join(
    "\n",
  );
}

/** The tests that failed, with the pairs that they failed on. */
function failuresOf(lines: readonly Line[]): readonly string[] {
  const all = lines.flatMap(({ rabbitmq, postgres, counts }) =>
    (counts?.failures ?? []).map((title) => ({ title, pair: `${rabbitmq} with ${postgres}` })),
  );
  const grouped = [...Map.groupBy(all, ({ title }) => title)];
  if (grouped.length === 0) return [];
  const items = grouped.map(
    ([title, some]) => `- ${title} (${some.map(({ pair }) => pair).join(", ")})`,
  );
  return [`Failed:\n\n${items.join("\n")}`];
}
