import type { Dice } from "./dice.ts";

/** What of JSON Schema the messages use. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const words = ["inventory", "reserve", "charge", "confirm", "x"] as const;
const anything = [null, 1, "text", { reservationId: "r-1" }, [1, "2", { three: 3 }], {}] as const;

/** A value that the schema accepts: the start of each mutation. */
export function sampleOf(schema: Schema, dice: Dice): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return dice.pick(schema.enum);
  if (schema.anyOf !== undefined) return sampleOf(dice.pick(schema.anyOf), dice);
  switch (schema.type) {
    case "object":
      return sampleObject(schema, dice);
    case "array":
      return Array.from({ length: dice.between(0, 3) }, () => sampleOf(schema.items ?? {}, dice));
    case "string":
      return schema.pattern?.includes("0-9a-f") === true
        ? hexadecimal(schema, dice)
        : dice.pick(words);
    case "integer":
    case "number":
      return sampleNumber(schema, dice);
    case "boolean":
      return dice.oneIn(2);
    case "null":
      return null;
    case undefined:
    default:
      return dice.pick<unknown>(anything);
  }
}

/** A UUID, or as much of its digits as there is room for. */
function hexadecimal({ maxLength = 36 }: Schema, dice: Dice): string {
  const uuid = dice.uuid();
  return uuid.length <= maxLength ? uuid : uuid.replaceAll("-", "").slice(0, maxLength);
}

function sampleObject({ properties = {}, required = [] }: Schema, dice: Dice): unknown {
  const chosen = Object.entries(properties).filter(
    ([key]) => required.includes(key) || dice.oneIn(2),
  );
  return Object.fromEntries(chosen.map(([key, inner]) => [key, sampleOf(inner, dice)]));
}

/** The limits themselves as often as anything between. */
function sampleNumber({ minimum = 0, maximum = 2 ** 31 - 1 }: Schema, dice: Dice): number {
  return dice.pick([minimum, maximum, dice.between(minimum, Math.min(maximum, minimum + 5_000))]);
}
