import type { Options } from "amqplib";
import type { HostileBody } from "./damaged-body.ts";
import type { Dice } from "./dice.ts";
import { type JsonTree, placesOf, textOf, treeOf } from "./json-tree.ts";
import { oddText, oddTimeFor, oddTimestamp, timeNames } from "./odd-times.ts";

/** A valid message that says when, and for how long, in ways that no clock does. */
export function timedBody(dice: Dice, valid: () => unknown): HostileBody {
  const root = { tree: treeOf(valid()) };
  const places = placesOf(root);
  const changes: string[] = [];
  for (const { value } of places) {
    if (!("fields" in value)) continue;
    for (const field of value.fields) {
      const text = oddTimeFor(field[0], dice);
      if (text === null || dice.oneIn(3)) continue;
      field[1] = { text };
      changes.push(field[0]);
    }
  }
  const objects = places.flatMap(({ value }) => ("fields" in value ? [value] : []));
  if (objects.length > 0 && (changes.length === 0 || dice.oneIn(3))) {
    const name = dice.pick(timeNames);
    dice.pick(objects).fields.push([name, oddLeaf(name, dice)]);
    changes.push(name);
  }
  return {
    body: Buffer.from(textOf(root.tree)),
    changes: ["odd time", ...changes],
    contentType: "application/json",
  };
}

const oddLeaf = (name: string, dice: Dice): JsonTree => ({ text: oddTimeFor(name, dice) ?? "0" });

/**
 * Instants in headers and properties: those of the broker's own, and those that submissions may
 * have.
 */
export function timedProperties(dice: Dice): Options.Publish {
  const time = { "!": "timestamp", value: oddTimestamp(dice) };
  const death = {
    queue: "agent.payments",
    reason: "expired",
    count: 1,
    time,
    "routing-keys": [""],
  };
  return dice.pick<Options.Publish>([
    {},
    { timestamp: oddTimestamp(dice) },
    { headers: { "not-before": oddText(dice) } },
    { headers: { "not-before": oddTimestamp(dice) } },
    { headers: { "not-before": time } },
    { headers: { "x-death": [death], "x-first-death-reason": "expired" } },
    { expiration: dice.pick(["0", "1", "4294967295"]) },
  ]);
}

/** Instants in the headers of a request. */
export function timedHeaders(dice: Dice): Readonly<Record<string, string>> {
  // What Node's client does not write is not sent.
  const text = oddText(dice).replaceAll(/[^\u0020-\u007e]/g, "");
  return dice.pick<Readonly<Record<string, string>>>([
    {},
    { "not-before": text },
    { "not-before": text },
    { date: text, "if-modified-since": text, "if-unmodified-since": text },
    { prefer: `wait=${text}` },
    { "keep-alive": `timeout=${text}` },
  ]);
}
