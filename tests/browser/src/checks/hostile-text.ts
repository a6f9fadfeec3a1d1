import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import type { Bench, Shown } from "../bench.ts";
import { echoing } from "../system/echo-agent.ts";
import { until } from "../system/start-console-system.ts";
import { act } from "./act.ts";
import { pixelsBeyond } from "./pixels-beyond.ts";

/**
 * Every field that a user controls has hostile text: it is shown as text, and nothing of it runs.
 */
export async function showHostileText({ at, show }: Bench): Promise<void> {
  const ids = await submitHostileTasks(at);
  await leaveDeadLetters(at);
  await using shown = await show(`/tasks?${new URLSearchParams({ workflow: echoing.name })}`);
  const { page, complaints } = shown;
  await page
    .getByText(hostileTexts[0] ?? "")
    .first()
    .waitFor();
  await expectHarmless(shown, "the list of tasks");
  // One with an output and one with a fault; that which turns the direction of text, and the
  // longest word.
  for (const index of [0, 1, hostileTexts.length - 3, hostileTexts.length - 1]) {
    const text = hostileTexts[index] ?? "";
    await shown.goTo(`/tasks/${ids[index]}`);
    expect(await page.locator("h1").textContent()).toBe(text);
    await page.getByRole("link", { name: `text=${text}` }).waitFor();
    await expectHarmless(shown, text);
  }
  await actWithHostileWords(shown);
  for (const path of ["/failures", "/system/dead-letters", "/agents", "/workflows", "/"]) {
    await shown.goTo(path);
    await expectHarmless(shown, path);
  }
  const all = hostileTexts.slice(0, 8).join(" ");
  await shown.goTo(`/tasks?${new URLSearchParams({ text: all, key: all, "label.text": all })}`);
  await expectHarmless(shown, "a URL with hostile filters");
  await shown.goTo(`/tasks/${encodeURIComponent(all)}`);
  await expectHarmless(shown, "a URL with a hostile id");
  expect(complaints.filter((one) => !/status of 4\d\d/.test(one))).toEqual([]);
}

/**
 * One task for each text: as its key, label and input, and in turn as an output and as the message
 * of a fault.
 */
async function submitHostileTasks(at: Bench["at"]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [index, text] of hostileTexts.entries()) {
    const [id = ""] = await at.submit(echoing.name, [{ text, fails: index % 2 === 0 }], {
      key: text,
      correlationId: text,
      labels: { text },
      idempotency: { key: `${text} ${randomUUID()}`, hash: "0".repeat(64) },
    });
    ids.push(id);
  }
  for (const [index, id] of ids.entries()) {
    await at.reaches(id, index % 2 === 0 ? "halted" : "processed");
  }
  return ids;
}

/** The reason and the name of an operator, in the dialog, the history and the list of pauses. */
async function actWithHostileWords(shown: Shown): Promise<void> {
  const { page } = shown;
  const reason = hostileTexts.slice(0, 8).join(" ");
  await act({ page, verb: "Pause", reason });
  await page
    .getByRole("listitem")
    .filter({ hasText: reason.slice(0, 60) })
    .first()
    .waitFor();
  await expectHarmless(shown, "the history with a hostile reason");
}

/** What the intake keeps of messages that it cannot use: all of it was their sender's choice. */
async function leaveDeadLetters(at: Bench["at"]): Promise<void> {
  for (const text of hostileTexts) {
    const quoted = `'${text.replaceAll("'", "''")}'`;
    await at.query(`insert into state.dead_letters (queue, reason, detail, message_id, type, sender, body)
                    values ('task.submissions', 'malformed', ${quoted}, ${quoted}, ${quoted}, ${quoted},
                            convert_to(${quoted}, 'UTF8'))`);
  }
  await until(async () => {
    const [kept] = await at.query<{ n: number }>(
      "select count(*)::int as n from state.dead_letters",
    );
    return kept?.n === hostileTexts.length;
  });
}

/**
 * Wakes handlers that wait for a mouse, and looks whether anything ran, became markup, or left its
 * place.
 */
async function expectHarmless({ page }: Pick<Shown, "page">, place: string): Promise<void> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("main *")) {
      for (const type of ["mouseover", "focus", "load"]) element.dispatchEvent(new Event(type));
    }
  });
  const found = await page.evaluate(() => ({
    hasRun: "hacked" in globalThis,
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
    markup: document.querySelectorAll(
      "main script, main iframe, main img, main math, main [onerror], main [onload], a[href^='javascript:' i], a[href^='data:' i]",
    ).length,
  }));
  const pixels = await pixelsBeyond(page);
  expect({ place, ...found, pixels }).toEqual({
    place,
    hasRun: false,
    turned: 0,
    markup: 0,
    pixels: 0,
  });
}

/**
 * What a browser would run, or show as something else, if a page took it for markup. Each sets
 * `hacked`, or tries to.
 */
const hostileTexts: readonly string[] = [
  "<script>globalThis.hacked=1</script>",
  "<img src=x onerror=globalThis.hacked=1>",
  '"><img src=x onerror=globalThis.hacked=1>',
  "' onmouseover='globalThis.hacked=1",
  "<svg onload=globalThis.hacked=1><animate onbegin=globalThis.hacked=1 attributeName=x dur=1s>",
  "<svg><script>globalThis.hacked=1</script></svg>",
  "<math><mtext></form><form><mglyph><style></math><img src onerror=globalThis.hacked=1>",
  "javascript:globalThis.hacked=1",
  "data:text/html,<script>globalThis.hacked=1</script>",
  "<iframe srcdoc='<script>parent.hacked=1</script>'>",
  "<a href=javascript:globalThis.hacked=1>click</a>",
  "</textarea></title></style></script><script>globalThis.hacked=1</script>",
  // oxlint-disable-next-line no-template-curly-in-string -- As text: a page must not fill it in.
  "${globalThis.hacked=1}{{constructor.constructor('globalThis.hacked=1')()}}#{7*7}",
  "__proto__",
  "\u202Egnp.exe \u2066reversed\u2069 \u200F",
  "Z\u0351\u036B\u0343a\u0357\u0348l\u0333\u034Dg\u0310\u0342o ".repeat(8),
  "W".repeat(180),
];
