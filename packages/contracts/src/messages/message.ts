import { ChangedJson, ContractFault, type Json, type ValueFault } from "@holdfast/domain";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Static, TSchema } from "typebox";
import { ofOurOwn } from "../definition/schema-compiler.ts";
import { limits } from "../limits/limits.ts";
import { parseJson } from "./parse-json.ts";

/**
 * A message as both ends see it: its name on the wire, its JSON Schema, how to write and read it.
 */
export interface MessageContract<Message> {
  /** `<thing>.<verb>.v<n>`; the AMQP property `type`. */
  readonly type: string;
  readonly schema: TSchema;
  encode(message: Message): Buffer;
  /** Throws a `MalformedMessage` on anything that is not this message. */
  decode(content: Buffer): Message;
}

const ajv = new Ajv({
  ...ofOurOwn,
  allErrors: false,
  strict: false,
  discriminator: true,
  verbose: true,
});

interface MessageOptions {
  /**
   * Makes what need not be refused fit the schema, before it is checked and before it is written.
   */
  readonly adjust?: (message: Json) => Json;
}

/** The fields of a part of a message that has not been checked; none if it is no object. */
export const fieldsOf = (json: Json | undefined): { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json)
    ? (json as { readonly [key: string]: Json })
    : {};

/**
 * Derives the wire format, the check and the static type of a message from one schema. Readers drop
 * fields that they do not know, so that a newer writer disturbs no older reader, and nothing is
 * kept that no schema bounds. Payloads in a message are not looked into: that is for
 * `payloadFaults`.
 */
export function defineMessage<Schema extends TSchema>(
  type: string,
  schema: Schema,
  { adjust = (message) => message }: MessageOptions = {},
): MessageContract<Static<Schema>> {
  // Compiled for the first message: all of them together are a fifth of the start of a service,
  // which reads but a few.
  let conforms: ValidateFunction | undefined;
  let explains: ValidateFunction | undefined;
  const known = knownFields(schema) ?? ((message: Json) => message);
  return {
    type,
    schema,
    encode: (message) => Buffer.from(JSON.stringify(adjust(message as Json))),
    decode(content) {
      const message = adjust(parse(type, content));
      conforms ??= ajv.compile(schema);
      if (conforms(message)) return known(message) as Static<Schema>;
      explains ??= ajv.compile(tagged(schema));
      explains(message);
      const why = reasonOf(explains.errors?.[0] ?? conforms.errors?.[0]);
      throw new MalformedMessage(type, why, { json: message });
    },
  };
}

/** The place at which a message is wrong, and what must be there. */
function reasonOf(error: ErrorObject | undefined): string {
  if (error === undefined) return "/ is not as it must be";
  const at = error.instancePath || "/";
  if (error.keyword !== "discriminator") return `${at} ${error.message}`;
  const { tag } = error.params as { readonly tag: string };
  const choices = error.parentSchema?.["oneOf"] as readonly TSchema[] | undefined;
  const values = (choices ?? []).map((choice) =>
    JSON.stringify(Object.fromEntries(literalsOf(choice))[tag]),
  );
  return `${error.instancePath}/${tag} must be one of ${values.join(", ")}`;
}

/**
 * The same schema, in which objects of a choice are distinguished by the field that has one value
 * in each of them: then what is wrong is said of the one that was meant. Made for the first message
 * that does not fit.
 */
function tagged(schema: TSchema): TSchema {
  const { properties, anyOf } = schema as {
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly anyOf?: readonly TSchema[];
  };
  if (properties !== undefined) {
    const parts = Object.entries(properties).map(([name, part]) => [name, tagged(part)] as const);
    return { ...schema, properties: Object.fromEntries(parts) };
  }
  const [tag] = anyOf?.map((choice) => literalsOf(choice)[0]?.[0]) ?? [];
  if (anyOf === undefined || tag === undefined) return schema;
  const { anyOf: _anyOf, ...rest } = schema as { readonly anyOf?: unknown };
  return { ...rest, type: "object", discriminator: { propertyName: tag }, oneOf: anyOf };
}

type Cleaner = (json: Json) => Json;
type Fields = Readonly<Record<string, Json>>;

/**
 * What leaves of a value that fits the schema the fields that the schema names: the value itself,
 * where it has no others. Null: all of it is known.
 */
function knownFields(schema: TSchema): Cleaner | null {
  const { properties, items, anyOf } = schema as {
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly items?: TSchema;
    readonly anyOf?: readonly TSchema[];
  };
  if (anyOf !== undefined) return fieldsOfChoice(anyOf);
  if (items !== undefined) {
    const clean = knownFields(items);
    if (clean === null) return null;
    return (json) => {
      const kept = (json as readonly Json[]).map(clean);
      return kept.every((item, index) => item === (json as readonly Json[])[index]) ? json : kept;
    };
  }
  if (properties === undefined) return null;
  const cleaners = new Map(
    Object.entries(properties).map(([name, part]) => [name, knownFields(part)] as const),
  );
  return (json) => {
    const given = json as Fields;
    let isKept = true;
    for (const name in given) {
      const value = given[name]!;
      const clean = cleaners.get(name);
      isKept = clean === null || (clean !== undefined && clean(value) === value);
      if (!isKept) break;
    }
    return isKept ? json : knownOf(given, cleaners);
  };
}

/**
 * The known fields, one by one: what is left out may be a hundred thousand, and to copy those takes
 * long.
 */
function knownOf(given: Fields, cleaners: ReadonlyMap<string, Cleaner | null>): Fields {
  const known: Record<string, Json> = {};
  for (const [name, clean] of cleaners) {
    if (!Object.hasOwn(given, name)) continue;
    const value = given[name]!;
    known[name] = clean === null ? value : clean(value);
  }
  return known;
}

/** Objects of a choice differ in a field that has one value in each of them. */
function fieldsOfChoice(choices: readonly TSchema[]): Cleaner | null {
  const cleaners = choices.map((choice) => [literalsOf(choice), knownFields(choice)] as const);
  if (cleaners.every(([, clean]) => clean === null)) return null;
  return (json) => {
    const isChosen = ([name, value]: readonly [string, unknown]) =>
      (json as Fields)[name] === value;
    const [, clean = null] = cleaners.find(([literals]) => literals.every(isChosen)) ?? [];
    return clean === null ? json : clean(json);
  };
}

function literalsOf(schema: TSchema): readonly (readonly [string, unknown])[] {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, object>> };
  return Object.entries(properties).flatMap(([name, part]) =>
    "const" in part ? [[name, part.const] as const] : [],
  );
}

function parse(type: string, content: Buffer): Json {
  try {
    return parseJson(content);
  } catch (cause) {
    if (!(cause instanceof ChangedJson))
      throw new MalformedMessage(type, "it is not JSON", { cause });
    const { faults, json, message } = cause;
    const why = message.slice(0, limits.words).toWellFormed();
    // Of a message whose own fields stand twice, none is known.
    const isOwn = faults.some(({ pointer }) => pointer.lastIndexOf("/") === 0);
    throw new MalformedMessage(type, why, { ...(isOwn ? {} : { json }), changes: faults });
  }
}

/** Something is not the message that its type says. */
export class MalformedMessage extends ContractFault {
  // No field: logs have the fields of faults.
  readonly #json: Json | undefined;
  readonly #changes: readonly ValueFault[];

  constructor(
    type: string,
    why: string,
    {
      json,
      cause,
      changes = [],
    }: {
      readonly json?: Json;
      readonly cause?: unknown;
      readonly changes?: readonly ValueFault[];
    },
  ) {
    super("message.malformed", `Not a ${type}: ${why}`, { cause, details: { type } });
    this.#json = json;
    this.#changes = changes;
  }

  /** What of its JSON would be changed by being read; empty: nothing, or it is no JSON. */
  get changes(): readonly ValueFault[] {
    return this.#changes;
  }

  /** What was parsed, which may be large; undefined: it is not JSON. */
  get json(): Json | undefined {
    return this.#json;
  }
}
