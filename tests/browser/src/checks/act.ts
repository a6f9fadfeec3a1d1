import { expect } from "@jest/globals";
import type { Locator, Page } from "playwright-core";

interface Acting {
  readonly page: Page;
  /** What the button says, without its dots. */
  readonly verb: string;
  readonly reason: string;
  /** The part of the page that has the button; anywhere unless given. */
  readonly within?: Locator;
  /** What is typed into the field of the action, where it has one. */
  readonly field?: string;
}

/**
 * Opens the dialog of an action, sees that it wants a reason, gives one, and asks for the action.
 */
export async function ask({ page, verb, reason, within, field }: Acting): Promise<Locator> {
  const button = (within ?? page.locator("main")).getByRole("button", { name: `${verb} …` });
  await button.first().click();
  const dialog = page.getByRole("dialog");
  const submit = dialog.getByRole("button", { name: verb, exact: true });
  await submit.click();
  // The browser keeps a form without a reason, and nothing is sent.
  const box = dialog.getByLabel("Reason");
  expect(await box.evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(true);
  await box.fill(reason);
  if (field !== undefined) await dialog.getByRole("textbox").first().fill(field);
  await submit.click();
  return dialog;
}

/** Does an action to its end: the service has accepted it, and the dialog is closed. */
export async function act(acting: Acting): Promise<void> {
  const dialog = await ask(acting);
  await dialog.getByText("The service accepted 1 of 1.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "hidden" });
}

/** Resolves when the history of the task that is shown has an entry with these words. */
export async function historyShows(page: Page, ...words: readonly string[]): Promise<void> {
  const entries = page.getByRole("listitem").filter({ hasText: words[0] ?? "" });
  const matching = words.reduce((found, word) => found.filter({ hasText: word }), entries);
  await matching.first().waitFor();
}
