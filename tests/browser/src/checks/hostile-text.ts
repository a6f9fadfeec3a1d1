import { randomUUID } from "node:crypto";
import { askBroker } from "@holdfast/local-stack";
import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { until } from "../system/start-console-system.ts";
import { echoing } from "../system/workflows.ts";
import { act } from "./act.ts";
import { hostileTexts } from "./hostile-texts.ts";

/** Every field that a user controls has hostile text: it is shown as text, and nothing of it runs. */
export async function showHostileText({ at, show }: Bench): Promise<void> {
  const ids: string[] = [];
  for (const [index, text] of hostileTexts.entries()) {
    // In turn as an output and as the message of a fault; always as an input.
    const fails = index % 2 === 0;
    const [id = ""] = await at.submit(echoing.name, [{ text, fails }], {
      key: text,
      correlationId: text,
      labels: { text },
      idempotency: { key: `${text} ${randomUUID()}`, hash: "0".repeat(64) },
    });
    ids.push(id);
    await at.reaches(id, fails ? "error" : "processed");
  }
  await leaveDeadLetters(at);
  await using shown = await show("/tasks");
  const { page, complaints } = shown;
  await expectNothingRan(page);
  await page
    .getByText(hostileTexts[0] ?? "")
    .first()
    .waitFor();
  for (const [index, id] of ids.entries()) {
    await shown.goTo(`/tasks/${id}`);
    const text = hostileTexts[index] ?? "";
    expect(await page.locator("h1").textContent()).toBe(text);
    await page.getByRole("link", { name: `text=${text}` }).waitFor();
    await hoverOverAll(page);
    await expectNothingRan(page);
    expect([text, await pixelsBeyond(page)]).toEqual([text, 0]);
  }
  await actWithHostileWords(page);
  for (const path of ["/failures", "/system/dead-letters", "/agents", "/workflows", "/"]) {
    await shown.goTo(path);
    await hoverOverAll(page);
    await expectNothingRan(page);
    expect([path, await pixelsBeyond(page)]).toEqual([path, 0]);
  }
  for (const text of hostileTexts.slice(0, 8)) {
    await shown.goTo(`/tasks?${new URLSearchParams({ text, key: text, "label.text": text })}`);
    await expectNothingRan(page);
    await shown.goTo(`/tasks/${encodeURIComponent(text)}`);
    await expectNothingRan(page);
  }
  expect(complaints.filter((one) => !/status of 4\d\d/.test(one))).toEqual([]);
}

/** The reason and the name of an operator, in the dialog, the history and the list of pauses. */
async function actWithHostileWords(page: Page): Promise<void> {
  const reason = hostileTexts.slice(0, 8).join(" ");
  await act({ page, verb: "Pause", reason });
  await page
    .getByRole("listitem")
    .filter({ hasText: reason.slice(0, 60) })
    .first()
    .waitFor();
  await expectNothingRan(page);
}

async function leaveDeadLetters(at: Bench["at"]): Promise<void> {
  for (const text of hostileTexts) {
    const url = at.system.broker.urlOf("submission");
    await askBroker(url, async (channel) => {
      const type = text.slice(0, 100);
      channel.sendToQueue("task.submissions", Buffer.from(text), { messageId: type, type });
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
  }
  await until(async () => {
    const kept = await at.query<{ n: number }>("select count(*)::int as n from state.dead_letters");
    return kept[0]?.n === hostileTexts.length;
  });
}

/** Wakes handlers that wait for a mouse. */
async function hoverOverAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("main *")) {
      for (const type of ["mouseover", "focus", "load"]) element.dispatchEvent(new Event(type));
    }
  });
}

async function expectNothingRan(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    hacked: "hacked" in globalThis,
    // Text that changes its direction changes that of nothing beside it.
    turned: [...document.querySelectorAll("main *")].filter((element) => {
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const { display, unicodeBidi } = getComputedStyle(element);
      return (
        own.some((node) => /[\u202E\u2066]/.test(node.textContent ?? "")) &&
        display.startsWith("inline") &&
        !unicodeBidi.includes("isolate")
      );
    }).length,
    strange: document.querySelectorAll(
      "main script, main iframe, main img, main math, main [onerror], main [onload], a[href^='javascript:' i], a[href^='data:' i]",
    ).length,
  }));
  expect(found).toEqual({ hacked: false, turned: 0, strange: 0 });
}

/** By how many pixels the page is wider than its window, which it never should be, however long a word is. */
export const pixelsBeyond = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(scrollWidth - clientWidth, 0);
  });
