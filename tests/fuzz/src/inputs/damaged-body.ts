import { gzipSync } from "node:zlib";
import type { Dice } from "./dice.ts";
import { mutateJson } from "./mutate-json.ts";

/** A body, and how it differs from a valid one. */
export interface HostileBody {
  readonly body: Buffer;
  readonly changes: readonly string[];
  readonly contentType: string;
}

/** A valid message that was changed; now and then several in one message, some of them valid. */
export function damagedBody(dice: Dice, valid: () => unknown): HostileBody {
  if (!dice.oneIn(8)) return { ...lone(dice, valid()), contentType: "application/json" };
  const count = dice.oneIn(200) ? dice.between(900, 1_500) : dice.between(2, 12);
  const lines = Array.from({ length: count }, () =>
    dice.oneIn(2)
      ? { body: Buffer.from(JSON.stringify(valid())), changes: [] }
      : lone(dice, valid()),
  );
  return {
    body: Buffer.concat(lines.flatMap(({ body }) => [body, Buffer.from("\n")])),
    changes: ["bundle", ...new Set(lines.flatMap(({ changes }) => changes))],
    contentType: "application/x-ndjson",
  };
}

function lone(dice: Dice, valid: unknown): Omit<HostileBody, "contentType"> {
  if (dice.oneIn(20)) return { body: Buffer.from(JSON.stringify(valid)), changes: [] };
  const { text, changes } = dice.oneIn(6)
    ? { text: JSON.stringify(valid), changes: [] }
    : mutateJson(valid, dice);
  const body = Buffer.from(text);
  if (changes.length > 0 && !dice.oneIn(6)) return { body, changes };
  const { content, change } = mutateBytes(body, dice);
  return { body: content, changes: [...changes, change] };
}

interface ByteMutation {
  readonly name: string;
  readonly act: (content: Buffer, dice: Dice) => Buffer;
}

const insert = (content: Buffer, at: number, bytes: readonly number[]): Buffer =>
  Buffer.concat([content.subarray(0, at), Buffer.from(bytes), content.subarray(at)]);

/** Whole prefixes and encodings, and damage on the way. */
const mutations: readonly ByteMutation[] = [
  { name: "empty", act: () => Buffer.alloc(0) },
  {
    name: "truncated",
    act: (content, dice) => content.subarray(0, dice.between(0, Math.max(0, content.length - 1))),
  },
  { name: "byte order mark", act: (content) => insert(content, 0, [0xef, 0xbb, 0xbf]) },
  { name: "gzip", act: (content) => gzipSync(content) },
  { name: "utf-16", act: (content) => Buffer.from(content.toString(), "utf16le") },
  {
    name: "invalid utf-8",
    act: (content, dice) => insert(content, dice.between(0, content.length), [0xc3, 0x28, 0xff]),
  },
  { name: "NUL", act: (content, dice) => insert(content, dice.between(0, content.length), [0]) },
  { name: "trailing text", act: (content) => Buffer.concat([content, Buffer.from("}]x")]) },
  { name: "two documents", act: (content) => Buffer.concat([content, content]) },
  {
    name: "blanks",
    act: (content, dice) => Buffer.concat([Buffer.alloc(dice.between(1, 100_000), " "), content]),
  },
  {
    name: "bit flip",
    act: (content, dice) => {
      const flipped = Buffer.from(content);
      const at = dice.between(0, Math.max(0, flipped.length - 1));
      if (flipped.length > 0) flipped[at] = (flipped[at] ?? 0) ^ (1 << dice.between(0, 7));
      return flipped;
    },
  },
  {
    name: "random bytes",
    act: (_, dice) => Buffer.from(Array.from({ length: 200 }, () => dice.between(0, 255))),
  },
];

/** Damages a document as a whole. */
function mutateBytes(
  content: Buffer,
  dice: Dice,
): { readonly content: Buffer; readonly change: string } {
  const { name, act } = dice.pick(mutations);
  return { content: act(content, dice), change: name };
}
