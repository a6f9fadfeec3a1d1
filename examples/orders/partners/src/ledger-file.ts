import { type FileHandle, mkdir, open, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { PermanentFault } from "@holdfast/domain";
import type { LedgerEntry } from "./ledger-entry.ts";

export interface LedgerFile extends AsyncDisposable {
  /** What was in the file when it was opened. */
  readonly entries: readonly LedgerEntry[];
  /** Resolves once the entry is on the disk. Entries that come together share one sync. */
  append(entry: LedgerEntry): Promise<void>;
}

interface Log {
  warn(fields: object, message: string): void;
}

interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Opens the ledger in `folder`, or begins one. A last line that a crash tore is cut off. */
export async function openLedgerFile(folder: string, log: Log): Promise<LedgerFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "ledger.jsonl");
  const file = await open(path, "a");
  await syncFolder(folder);
  const entries = await readEntries(path, log);
  const append = groupAppends(file);
  return { entries, append, [Symbol.asyncDispose]: () => file.close() };
}

function groupAppends(file: FileHandle): LedgerFile["append"] {
  let waiting: Waiting[] = [];
  let writing = false;
  let broken: { readonly cause: unknown } | null = null;

  const write = async (batch: readonly Waiting[]) => {
    try {
      if (broken !== null) throw new PermanentFault("ledger.broken", "a write has failed", broken);
      await file.appendFile(batch.map(({ line }) => line).join(""));
      await file.datasync();
      for (const { resolve } of batch) resolve();
    } catch (cause) {
      // How much of it is on the disk is unknown: what comes after it could not be read again.
      broken ??= { cause };
      for (const { reject } of batch) reject(cause);
    }
  };
  const writeAll = async () => {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await write(batch);
    }
    writing = false;
  };
  return (entry) =>
    new Promise((resolve, reject) => {
      waiting.push({ line: `${JSON.stringify(entry)}\n`, resolve, reject });
      if (!writing) void writeAll();
    });
}

async function readEntries(path: string, log: Log): Promise<readonly LedgerEntry[]> {
  const content = await readFile(path);
  const whole = content.lastIndexOf("\n") + 1;
  if (whole < content.length) {
    await truncate(path, whole);
    log.warn({ path, bytes: content.length - whole }, "torn ledger line cut off");
  }
  const lines = content.subarray(0, whole).toString("utf8").split("\n").slice(0, -1);
  return lines.map((line, index) => readEntry(line, `${path}:${index + 1}`));
}

function readEntry(line: string, place: string): LedgerEntry {
  try {
    return JSON.parse(line) as LedgerEntry;
  } catch (cause) {
    throw new PermanentFault("ledger.unreadable", `Cannot read ${place}`, { cause });
  }
}

/** Brings a folder to the disk: the file itself may else be gone after a crash of the machine. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}
