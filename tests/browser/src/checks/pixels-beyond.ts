import type { Page } from "playwright-core";

/**
 * The pixels by which the page is wider than its window, which it never should be, however long a
 * word is.
 */
export const pixelsBeyond = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(scrollWidth - clientWidth, 0);
  });
