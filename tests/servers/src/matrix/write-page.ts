import type { Counts } from "./run-tests.ts";

/** One run of the matrix; `counts` is null where it could not run, and `problem` says why. */
export interface Line {
  readonly set: "rabbitmq" | "postgres" | "pairs";
  readonly rabbitmq: string;
  readonly postgres: string;
  readonly counts: Counts | null;
  readonly problem: string | null;
  /** The day of the run, such as 2026-11-28. */
  readonly date: string;
}

const titles: Readonly<Record<Line["set"], string>> = {
  rabbitmq: "All tests of `packages/messaging`, on each RabbitMQ",
  postgres: "All tests of `packages/state-store`, on each Postgres",
  pairs:
    "Tests of both beside each other, on each pair: doctor, topology, logins, sessions, migrations, statements, messages",
};
const sets = Object.keys(titles) as readonly Line["set"][];

/** Writes runs into the page, each in place of an earlier one on the same releases. */
export function writePage(page: string, lines: readonly Line[]): string {
  const earlier = readPage(page).filter((one) => !lines.some((line) => keyOf(line) === keyOf(one)));
  const all = [...earlier, ...lines].toSorted((one, other) =>
    keyOf(one).localeCompare(keyOf(other), "en", { numeric: true }),
  );
  const sections = sets.flatMap((set) => {
    const rows = all.filter((line) => line.set === set);
    return rows.length === 0 ? [] : [`## ${titles[set]}`, tableOf(rows), ...failuresOf(rows)];
  });
  const [, found = null] = /\n(## What it found\n[^]*)$/.exec(page) ?? [];
  return `${[head, ...sections, ...(found === null ? [] : [found.trim()])].join("\n\n")}\n`;
}

/** The runs that stand on a page. */
export const readPage = (page: string): readonly Line[] =>
  sets.flatMap((set) => {
    const [, section = ""] = page.split(`## ${titles[set]}\n`);
    const [own = ""] = section.split(/^## /m);
    const failures = [...own.matchAll(/^- (.*) \((\S+ with \S+(?:, \S+ with \S+)*)\)$/gm)].map(
      ([, title = "", pairs = ""]) => ({ title, pairs: pairs.split(", ") }),
    );
    return own.split("\n").flatMap((text) => readRow(set, text, failures));
  });

const keyOf = ({ set, rabbitmq, postgres }: Line): string => `${set} ${rabbitmq} ${postgres}`;
const pairOf = ({ rabbitmq, postgres }: Pick<Line, "rabbitmq" | "postgres">): string =>
  `${rabbitmq} with ${postgres}`;

const head = `# Releases of both servers

\`npm run test:servers -- --rabbitmq 3.10,4.0,4.3 --postgres 15,16,17,18\` writes this page, and a run on some releases writes their rows. It starts each pair of servers for itself and counts the tests that passed and failed on it. RabbitMQ is the one of this machine, or the one of a suite of Debian, unpacked with all that it needs beside the system's own; Postgres is the newest of each release in the package that all tests have theirs from. What could not be had says so, and has no counts.`;

const header = ["RabbitMQ", "Postgres", "passed", "failed", "seconds", "run on"];
const notRun = "not run: ";

function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(({ rabbitmq, postgres, counts, problem, date }) => [
    rabbitmq,
    postgres,
    ...(counts === null
      ? [`${notRun}${problem}`, "-", "-"]
      : [counts.passed, counts.failed, counts.seconds].map((count) => count.toLocaleString("en"))),
    date,
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

interface Failure {
  readonly title: string;
  /** The pairs that it failed on. */
  readonly pairs: readonly string[];
}

const number = (cell: string): number => Number(cell.replaceAll(",", ""));

/** The run in a line of the page, if it is a row of a table. */
function readRow(set: Line["set"], text: string, failed: readonly Failure[]): readonly Line[] {
  const cells = text.split("|").map((cell) => cell.trim());
  const [, rabbitmq = "", postgres = "", passed = "", failures = "", seconds = "", date = ""] =
    cells;
  if (!/^\d/.test(rabbitmq)) return [];
  const run = { set, rabbitmq, postgres, date };
  if (passed.startsWith(notRun)) {
    return [{ ...run, counts: null, problem: passed.slice(notRun.length) }];
  }
  const counts = {
    passed: number(passed),
    failed: number(failures),
    seconds: number(seconds),
    failures: failed.filter(({ pairs }) => pairs.includes(pairOf(run))).map(({ title }) => title),
  };
  return [{ ...run, counts, problem: null }];
}

/** The tests that failed, with the pairs that they failed on. */
function failuresOf(lines: readonly Line[]): readonly string[] {
  const all = lines.flatMap((line) =>
    (line.counts?.failures ?? []).map((title) => ({ title, pair: pairOf(line) })),
  );
  const grouped = [...Map.groupBy(all, ({ title }) => title)];
  if (grouped.length === 0) return [];
  const items = grouped.map(
    ([title, some]) => `- ${title} (${some.map(({ pair }) => pair).join(", ")})`,
  );
  return [`Failed:\n\n${items.join("\n")}`];
}
