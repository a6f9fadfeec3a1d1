import type { Page } from "playwright-core";

/** A part of a page: what it is, and where it stands. */
interface Box {
  readonly what: string;
  readonly x: number;
  readonly width: number;
}

export interface Layout {
  readonly background: string;
  readonly text: string;
  readonly card: string | null;
  readonly boxes: readonly Box[];
}

/** What stands where in a page, from top to bottom, without what the data decides. */
export const readLayout = (page: Page): Promise<Layout> =>
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
