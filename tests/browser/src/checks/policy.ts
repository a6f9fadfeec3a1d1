import { expect } from "@jest/globals";
import type { Bench } from "../bench.ts";
import { until } from "../system/start-console-system.ts";

/**
 * The page may load its own files and ask its own host, and has no script or style of its own in
 * it.
 */
export async function holdsToPolicy({ at, browser }: Bench): Promise<void> {
  const answer = await fetch(`${at.origin}/console/`);
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*|https?:|data:|nonce|sha256/);
  const html = await answer.text();
  expect(html).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/);

  // The policy is in force: what an attacker could bring into the page does not run.
  const { page, context, complaints } = await browser.open({ token: null });
  await using _ = { [Symbol.asyncDispose]: () => context.close() };
  await page.goto(`${at.origin}/console/`);
  const markup = "<img src=x onerror='globalThis.hacked=1'>";
  const refusal = await page.evaluate((text) => {
    try {
      document.body.innerHTML = text;
      return "written";
    } catch (error) {
      return (error as Error).name;
    }
  }, markup);
  expect(refusal).toBe("TypeError");
  await until(() => complaints.some((one) => one.includes("policy: require-trusted-types-for")));
}
