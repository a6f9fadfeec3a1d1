import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import axe from "axe-core";
import type { Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { pixelsBeyond } from "./pixels-beyond.ts";
import type { Seeded } from "./seed.ts";

/** Every page of the console, and the words by which one knows that it is drawn. */
const pagesOf = ({ undone, halted, waiting, unreleased }: Seeded) =>
  ({
    overview: ["/", "Throughput"],
    tasks: ["/tasks", "Fault code"],
    "a task that is undone": [`/tasks/${undone}`, "Attempts"],
    "a task that halted": [`/tasks/${halted}`, "Attempts"],
    "a task that waits": [`/tasks/${waiting}`, "Attempts"],
    "a task that people decide": [`/tasks/${unreleased}`, "Attempts"],
    approvals: ["/approvals", "treasury"],
    "an approval": [`/approvals/${unreleased}/release`, "What is asked"],
    failures: ["/failures", "halted"],
    "bulk operations": ["/failures/bulk", "Bulk operations"],
    workflows: ["/workflows", "halting-order"],
    "a workflow": ["/workflows/halting-order.v1", "Definition"],
    schedules: ["/schedules", "greet"],
    "a schedule": ["/schedules/greet", "to see it"],
    agents: ["/agents", "Circuit breakers"],
    "an Agent": ["/agents/shipping", "shipping"],
    system: ["/system", "scheduler"],
    "dead letters": ["/system/dead-letters", "Dead letters"],
    doctor: ["/system/doctor", "Doctor"],
    verify: ["/system/verify", "Verify"],
    configuration: ["/system/configuration", "HTTP_PORT"],
    "no page": ["/nowhere", "no such page"],
  }) as const satisfies Readonly<Record<string, readonly [path: string, words: string]>>;

const file = new URL("../../layouts.json", import.meta.url);
/** Pixels. A bar for scrolling, or another font, moves things by less. */
const tolerance = 20;
const folderOfShots = process.env["CONSOLE_SHOTS"];

/** Opens all pages in both themes, and in a narrow window. */
export async function openEachPage({ show }: Bench, seeded: Seeded): Promise<void> {
  const layouts: Record<string, Layout> = {};
  const barriers: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    await using shown = await show("/", { theme });
    const { page, complaints } = shown;
    for (const [name, [path, words]] of Object.entries(pagesOf(seeded))) {
      await page.setViewportSize({ width: 1360, height: 850 });
      await shown.goTo(path);
      await page.getByText(words).filter({ visible: true }).first().waitFor();
      barriers.push(...(await findBarriers(page)).map((one) => `${name}, ${theme}: ${one}`));
      layouts[`${name}, ${theme}`] = await readLayout(page);
      if (folderOfShots !== undefined) {
        const picture = `${theme}-${name.replaceAll(" ", "-")}.png`;
        await page.screenshot({ path: join(folderOfShots, picture) });
      }
      for (const width of [1360, 700]) {
        await page.setViewportSize({ width, height: 850 });
        const beyond = await pixelsBeyond(page);
        if (beyond > 0) barriers.push(`${name}: ${beyond} pixels wider than ${width}`);
      }
      expect([name, complaints]).toEqual([name, []]);
    }
  }
  expect(barriers).toEqual([]);
  await compare(layouts);
}

const names = (all: Layout["boxes"]): readonly string[] => all.map(({ what }) => what);

/** WRITE_LAYOUTS=yes writes them down instead, once one has looked at the pages. */
async function compare(found: Readonly<Record<string, Layout>>): Promise<void> {
  if (process.env["WRITE_LAYOUTS"] === "yes") {
    await writeFile(file, `${JSON.stringify(found, null, 2)}\n`);
  }
  const expected = JSON.parse(await readFile(file, "utf8")) as typeof found;
  expect(Object.keys(found)).toEqual(Object.keys(expected));
  for (const [name, layout] of Object.entries(found)) {
    const { boxes, ...colours } = expected[name] as Layout;
    expect([name, layout]).toMatchObject([name, colours]);
    expect([name, names(layout.boxes)]).toEqual([name, names(boxes)]);
    const moved = layout.boxes.filter(({ x, width }, index) => {
      const box = boxes[index];
      return (
        box === undefined ||
        Math.abs(x - box.x) > tolerance ||
        Math.abs(width - box.width) > tolerance
      );
    });
    expect([name, moved]).toEqual([name, []]);
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe-core finds that keeps people from using the page: a line for each. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  // By the debugger's protocol: the page's policy lets no script in from elsewhere.
  await page.evaluate(axe.source);
  const run = 'axe.run(document, { resultTypes: ["violations"] }).then((all) => all.violations)';
  const violations = await page.evaluate<readonly Violation[]>(run);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 150)}: ${failureSummary}`),
    );
}

/** A part of a page: what it is, and where it stands. */
interface Box {
  readonly what: string;
  readonly x: number;
  readonly width: number;
}

interface Layout {
  readonly background: string;
  readonly text: string;
  readonly card: string | null;
  readonly boxes: readonly Box[];
}

/** What stands where in a page, from top to bottom, without what the data decides. */
const readLayout = (page: Page): Promise<Layout> =>
  page.evaluate(() => {
    const parts = [
      ...document.querySelectorAll(
        "header.top, nav, main, main h2, main .card, main [role=table], main table, main svg[role=group]",
      ),
    ].filter((part) => part.getClientRects().length > 0);
    // oxlint-disable-next-line consistent-function-scoping -- All of it runs in the page.
    const nameOf = (part: Element): string => {
      if (part.tagName === "H2") return `h2 ${part.textContent}`;
      const label = part.getAttribute("aria-label");
      return label === null ? part.tagName.toLowerCase() : `${part.tagName.toLowerCase()} ${label}`;
    };
    const { backgroundColor, color } = getComputedStyle(document.body);
    const card = document.querySelector("main .card");
    return {
      background: backgroundColor,
      text: color,
      card: card === null ? null : getComputedStyle(card).backgroundColor,
      boxes: parts.map((part) => {
        const { x, width } = part.getBoundingClientRect();
        return { what: nameOf(part), x: Math.round(x), width: Math.round(width) };
      }),
    };
  });
