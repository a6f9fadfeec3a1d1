import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import type { Bench } from "../bench.ts";
import { findBarriers } from "./axe.ts";
import { type Layout, readLayout } from "./layout.ts";
import { pixelsBeyond } from "./pixels-beyond.ts";
import type { Seeded } from "./seed.ts";

/** Every page of the console, and the words by which one knows that it is drawn. */
const pagesOf = ({ undone, halted, waiting }: Seeded) =>
  ({
    overview: ["/", "Throughput"],
    tasks: ["/tasks", "Fault code"],
    "a task that is undone": [`/tasks/${undone}`, "Attempts"],
    "a task that halted": [`/tasks/${halted}`, "Attempts"],
    "a task that waits": [`/tasks/${waiting}`, "Attempts"],
    failures: ["/failures", "halted"],
    "bulk operations": ["/failures/bulk", "Bulk operations"],
    workflows: ["/workflows", "halting-order"],
    "a workflow": ["/workflows/halting-order.v1", "Definition"],
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
