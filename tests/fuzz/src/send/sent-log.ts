import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { HostileInput } from "../inputs/input.ts";

interface Sent {
  readonly index: number | null;
  readonly at: number;
  /** The input, with as much of its body as is written. */
  readonly input: HostileInput;
  /** Bytes of its whole body. */
  readonly bytes: number;
}

/** What was sent last: the input that caused a failure is among it. */
export interface SentLog {
  /** `index`: the number of the input in its run; null for one that answers a request. */
  add(index: number | null, input: HostileInput): void;
  /** Writes those of the last `ms` milliseconds to a file, and returns its path. */
  write(name: string, ms: number): string;
  /** Writes one of them to a file. */
  writeOne(name: string, index: number, input: HostileInput): string;
}

const kept = 4_000;
/**
 * Bytes of all bodies that are kept: what is large would leave the generator little memory for
 * anything else.
 */
const keptBytes = 64 * 1024 * 1024;
/** Bytes of a body that are written: the whole of it comes again with its number. */
const shownBytes = 64 * 1024;

export function openSentLog(folder: string): SentLog {
  let last: Sent[] = [];
  let bytes = 0;
  const append = (name: string, sent: readonly Sent[]): string => {
    const file = join(folder, `${name}.jsonl`);
    appendFileSync(file, sent.map((one) => `${JSON.stringify(shown(one))}\n`).join(""));
    return file;
  };
  return {
    add(index, input) {
      const sent = toSent(index, input);
      last.push(sent);
      bytes += sent.input.body.length;
      if (last.length <= 2 * kept && bytes <= keptBytes) return;
      last = last.slice(-Math.min(kept, last.length >> 1));
      bytes = last.reduce((sum, one) => sum + one.input.body.length, 0);
    },
    write: (name, ms) =>
      append(
        name,
        last.filter(({ at }) => at >= Date.now() - ms),
      ),
    writeOne: (name, index, input) => append(name, [toSent(index, input)]),
  };
}

function toSent(index: number | null, input: HostileInput): Sent {
  const { length: bytes } = input.body;
  // A copy: a part of the buffer would keep all of it in memory.
  const body = bytes > shownBytes ? Buffer.from(input.body.subarray(0, shownBytes)) : input.body;
  return { index, at: Date.now(), input: { ...input, body }, bytes };
}

function shown({ index, at, input, bytes }: Sent): object {
  const { body, ...rest } = input;
  return {
    index,
    at: new Date(at).toISOString(),
    ...rest,
    bytes,
    body: body.toString("base64"),
  };
}
