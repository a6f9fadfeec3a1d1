import type { AcceptedRise } from "./judge-counters.ts";

/** The heading of the page's part that accepts rises, and the head of its table. */
const heading = "## Counters that rose, and what it bought";
const columns = ["counter", "from", "to", "what it bought"];

/**
 * Reads the accepted rises of docs/evidence/optimisations.md. `known`: the counters that there are.
 * Throws with what is wrong with a line, so that none is passed over.
 */
export function readRises(page: string, known: ReadonlySet<string>): readonly AcceptedRise[] {
  const [, part] = page.split(`\n${heading}\n`);
  if (part === undefined) throw new Error(`The page has no heading "${heading}"`);
  const [text = ""] = part.split("\n## ");
  const rows = text.split("\n").filter((line) => line.startsWith("|"));
  const [head, , ...lines] = rows.map(cellsOf);
  if (head?.join() !== columns.join()) {
    throw new Error(`The table of rises must have the columns ${columns.join(", ")}`);
  }
  return lines.map((cells) => riseOf(cells, known));
}

const cellsOf = (row: string): readonly string[] =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

function riseOf(cells: readonly string[], known: ReadonlySet<string>): AcceptedRise {
  const row = `| ${cells.join(" | ")} |`;
  const [counter = "", was = "", now = "", bought = ""] = cells;
  const [from, to] = [Number(was), Number(now)];
  if (cells.length !== columns.length) throw new Error(`${row} must have four cells`);
  if (!known.has(counter)) throw new Error(`${row} names no counter`);
  if (was === "" || !(to > from)) throw new Error(`${row} must rise from a number to a larger one`);
  if (!/\w+ \w+/.test(bought)) throw new Error(`${row} must say what it bought`);
  return { counter, from, to };
}
