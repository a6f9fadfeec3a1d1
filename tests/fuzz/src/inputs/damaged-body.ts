import type { Dice } from "./dice.ts";
import { mutateBytes } from "./mutate-bytes.ts";
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
