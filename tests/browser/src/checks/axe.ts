import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe-core finds that keeps people from using the page: a line for each. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
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
