import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { charge, listen, send, silent, temporaryFolder } from "../test/fixtures.ts";
import type { LedgerEntry } from "./ledger-entry.ts";
import { openLedgerFile } from "./ledger-file.ts";

const tombstone = (seq: number): LedgerEntry => ({
  kind: "tombstone",
  seq,
  at: "2026-01-01T00:00:00.000Z",
  partner: "payments",
  resource: "charges",
  key: `k${seq}`,
});

test("the ledger still has its answers after a restart", async () => {
  await using folder = await temporaryFolder();
  const ask = async (key: string) => {
    await using partners = await listen(folder.path);
    return await send(`${partners.url}/payments/charges`, { key, body: charge });
  };
  const first = await ask("k");
  expect(await ask("k")).toEqual(first);
  await using file = await openLedgerFile(folder.path, silent);
  expect(file.entries).toHaveLength(1);
});

test("concurrent entries are all on disk, in order, when they resolve", async () => {
  await using folder = await temporaryFolder();
  const entries = Array.from({ length: 500 }, (_, index) => tombstone(index + 1));
  {
    await using file = await openLedgerFile(folder.path, silent);
    await Promise.all(entries.map((entry) => file.append(entry)));
  }
  await using file = await openLedgerFile(folder.path, silent);
  expect(file.entries).toEqual(entries);
});

test("a last line that a crash tore is cut off and reported, and the ledger goes on", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "ledger.jsonl");
  await writeFile(path, `${JSON.stringify(tombstone(1))}\n`);
  await appendFile(path, '{"kind":"appl');

  const warnings: unknown[] = [];
  const log = { warn: (fields: object, message: string) => warnings.push([message, fields]) };
  {
    await using file = await openLedgerFile(folder.path, log);
    expect(file.entries).toEqual([tombstone(1)]);
    await file.append(tombstone(2));
  }
  expect(warnings).toEqual([["torn ledger line cut off", { path, bytes: 13 }]]);
  expect((await readFile(path, "utf8")).trim().split("\n")).toHaveLength(2);
});

test("a ledger that is damaged in the middle is not taken for a shorter one", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "ledger.jsonl"), "{}\nnot json\n{}\n");
  await expect(openLedgerFile(folder.path, silent)).rejects.toThrow(
    expect.objectContaining({ code: "ledger.unreadable", message: expect.stringMatching(/:2$/) }),
  );
});
