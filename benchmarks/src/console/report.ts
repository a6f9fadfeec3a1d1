import { markdownTable } from "@holdfast/load";
import type { Setting } from "../setting.ts";
import { type PageFigures, type PageName, pageNames } from "./pages.ts";

export type OfPages = Readonly<Record<PageName, PageFigures>>;

export interface ConsoleResult extends Setting {
  readonly chromium: string;
  /** The load average of the machine before it began. */
  readonly load: number;
  readonly rounds: number;
  /** How many there are in each store. */
  readonly rows: Readonly<Record<"small" | "large", number>>;
  readonly figures: Readonly<Record<"small" | "large", OfPages>>;
}

const count = (value: number): string => value.toLocaleString("en-GB");
const rounded = (value: number): string => String(Math.round(value));

/** The page that tells how soon the console answers, whatever is in the store. */
export function report({ rows, figures, ...setting }: ConsoleResult): string {
  const { small, large } = figures;
  const line = (name: PageName): readonly string[] => [
    name,
    rounded(large[name].paintMs),
    rounded(small[name].interactiveMs),
    rounded(large[name].interactiveMs),
    (large[name].interactiveMs / small[name].interactiveMs).toFixed(1),
    rounded(large[name].blockedMs),
    String(large[name].requests),
  ];
  const headings = [
    "page",
    "first paint",
    `${count(rows.small)} rows`,
    `${count(rows.large)} rows`,
    "ratio",
    "blocked",
    "requests",
  ];
  return `# How soon the console answers

Written by \`npm run bench -- --console\`; do not edit. ${setting.date}, ${setting.machine}, Postgres ${setting.postgres}, ${setting.chromium}. Load average before: ${setting.load}.

Each page is opened in a browser without a cache, on the machine that also runs the service and Postgres. Interactive: all data is drawn and the page answers the next event. Milliseconds since the navigation began; medians of ${setting.rounds} rounds, the stores in turn in each. Rows are those of tasks, steps and the history. "Blocked" is the time beyond 50 ms in tasks that kept the page from answering.

${markdownTable(headings, pageNames.map(line))}

First paint, blocked and requests are of the large store. That scripts and styles stay below 250 kB is a test: \`services/console/src/server/first-load.integration.test.ts\`.
`;
}
