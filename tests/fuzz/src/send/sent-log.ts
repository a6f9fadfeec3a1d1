import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { HostileInput } from "../inputs/input.ts";

interface Sent {
  readonly index: number | null;
  readonly at: number;
  readonly input: HostileInput;
}

/** What was sent last: whoever looks for the culprit of a failure finds it here. */
export interface SentLog {
  /** `index`: the number of the input in its run; null for one that answers a request. */
  add(index: number | null, input: HostileInput): void;
  /** Writes those of the last `ms` milliseconds to a file, and returns its path. */
  write(name: string, ms: number): string;
  /** Writes one of them to a file. */
  writeOne(name: string, index: number, input: HostileInput): string;
}

const kept = 4_000;
/** Bytes of a body that are written: the whole of it comes again with its number. */
const shownBytes = 64 * 1024;

export function openSentLog(folder: string): SentLog {
  const last: Sent[] = [];
  const append = (name: string, sent: readonly Sent[]): string => {
    const file = join(folder, `${name}.jsonl`);
    appendFileSync(file, sent.map((one) => `${JSON.stringify(shown(one))}\n`).join(""));
    return file;
  };
  return {
    add(index, input) {
      last.push({ index, at: Date.now(), input });
      if (last.length > 2 * kept) last.splice(0, kept);
    },
    write: (name, ms) =>
      append(
        name,
        last.filter(({ at }) => at >= Date.now() - ms),
      ),
    writeOne: (name, index, input) => append(name, [{ index, at: Date.now(), input }]),
  };
}

function shown({ index, at, input }: Sent): object {
  const { body, ...rest } = input;
  return {
    index,
    at: new Date(at).toISOString(),
    ...rest,
    bytes: body.length,
    body: body.subarray(0, shownBytes).toString("base64"),
  };
}
