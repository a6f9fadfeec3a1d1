import { ContractFault, type Json } from "@holdfast/domain";
import { Ajv, type ValidateFunction } from "ajv";
import type { Static, TSchema } from "typebox";
import { ofOurOwn } from "../definition/schema-compiler.ts";
import { parseJson } from "./parse-json.ts";

/** A message as both ends see it: its name on the wire, its JSON Schema, how to write and read it. */
export interface MessageContract<Message> {
  /** `<thing>.<verb>.v<n>`; the AMQP property `type`. */
  readonly type: string;
  readonly schema: TSchema;
  encode(message: Message): Buffer;
  /** Throws a `ContractFault` (`message.malformed`) on anything that is not this message. */
  decode(content: Buffer): Message;
}

const ajv = new Ajv({ ...ofOurOwn, allErrors: false, strict: false });

interface MessageOptions {
  /** Makes what need not be refused fit the schema, before it is checked. */
  readonly adjust?: (message: Json) => Json;
}

/**
 * Derives the wire format, the check and the static type of a message from one schema. Readers
 * accept fields that they do not know, so that a newer writer disturbs no older reader. Payloads in
 * a message are not looked into: that is for `payloadFaults`.
 */
export function defineMessage<Schema extends TSchema>(
  type: string,
  schema: Schema,
  { adjust = (message) => message }: MessageOptions = {},
): MessageContract<Static<Schema>> {
  // Compiled for the first message: all of them together are a fifth of the start of a service, which reads but a few.
  let conforms: ValidateFunction | undefined;
  return {
    type,
    schema,
    encode: (message) => Buffer.from(JSON.stringify(message)),
    decode(content) {
      const message = adjust(parse(type, content));
      conforms ??= ajv.compile(schema);
      if (conforms(message)) return message as Static<Schema>;
      const [error] = conforms.errors ?? [];
      throw malformed(type, `${error?.instancePath || "/"} ${error?.message}`);
    },
  };
}

function parse(type: string, content: Buffer): Json {
  try {
    return parseJson(content);
  } catch (cause) {
    throw malformed(type, "it is not JSON", cause);
  }
}

const malformed = (type: string, why: string, cause?: unknown) =>
  new ContractFault("message.malformed", `Not a ${type}: ${why}`, { cause, details: { type } });
