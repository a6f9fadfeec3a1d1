import { limits, storableText } from "@holdfast/contracts";
import type { ConsumeMessage } from "amqplib";
import { hasUnreadableHeaders } from "../connection/bound-headers.ts";

/** What must be kept of a message beside its body, so that it can be sent once more as it was. */
export interface KeptProperties {
  /** The queue in which it died last; null: it did not die, or that cannot be read. */
  readonly diedIn: string | null;
  /** The key under which it was published. */
  readonly routingKey: string | null;
  readonly correlationId: string | null;
  readonly replyTo: string | null;
  readonly type: string | null;
  readonly messageId: string | null;
  /** The headers without those that the broker writes, as JSON. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Whether all of it can be kept as it is: false if a header or a property cannot. */
  readonly isWhole: boolean;
}

/** The broker writes these itself, or sends a copy to the queues that they name. */
const leftOut = /^(cc|bcc|x-(death|first-death-.*|last-death-.*|delivery-count|acquired-count))$/i;

/** Characters of all headers as JSON; a message with more of them is not kept whole. */
const longestHeaders = 16_384;
const deepest = 8;

/**
 * What is kept of a dead letter. Whatever its publisher wrote there, it only costs that the letter
 * cannot be replayed.
 */
export function keptProperties({ properties, fields }: ConsumeMessage): KeptProperties {
  const death = lastDeath(properties.headers);
  const texts = {
    correlationId: textOf(properties.correlationId),
    replyTo: textOf(properties.replyTo),
    type: textOf(properties.type),
    messageId: textOf(properties.messageId),
    routingKey: textOf(death === null ? fields.routingKey : firstOf(death["routing-keys"])),
    diedIn: textOf(death?.["queue"]),
  };
  const headers = headersOf(properties.headers);
  const isWhole =
    headers !== null &&
    !hasUnreadableHeaders({ properties }) &&
    Object.values(texts).every((text) => text !== unkept);
  const kept = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text === unkept ? null : text]),
  ) as Readonly<Record<keyof typeof texts, string | null>>;
  return { ...kept, headers: headers ?? {}, isWhole };
}

const unkept = Symbol("unkept");

function textOf(value: unknown): string | null | typeof unkept {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string") return unkept;
  return storableText(value, limits.property) === value ? value : unkept;
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

/**
 * The broker puts the last death first, and names its queue itself. A publisher can forge the rest
 * of the entry where the broker only counts it up: what uses the routing key must hold it against
 * what is allowed.
 */
function lastDeath(headers: unknown): Readonly<Record<string, unknown>> | null {
  const deaths: unknown = ownOf(headers, "x-death");
  const first = firstOf(deaths);
  return isTable(first) ? first : null;
}

const ownOf = (headers: unknown, name: string): unknown =>
  isTable(headers) && Object.hasOwn(headers, name) ? headers[name] : undefined;

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

/** The headers to keep; null: one of them is no JSON, or they are too long. */
function headersOf(headers: unknown): Readonly<Record<string, unknown>> | null {
  const kept = Object.entries(isTable(headers) ? headers : {}).filter(
    ([name]) => !leftOut.test(name),
  );
  if (!kept.every(([name, value]) => isText(name) && isJson(value, deepest))) return null;
  const found: Readonly<Record<string, unknown>> = Object.fromEntries(kept);
  return JSON.stringify(found).length > longestHeaders ? null : found;
}

const isText = (text: string): boolean => storableText(text, longestHeaders) === text;

/** Timestamps and decimals of AMQP are tables of the client, and are sent as they came. */
function isJson(value: unknown, levels: number): boolean {
  if (levels === 0) return false;
  if (value === null || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string") return isText(value);
  if (Array.isArray(value)) return value.every((one) => isJson(one, levels - 1));
  if (!isTable(value)) return false;
  return Object.entries(value).every(([name, one]) => isText(name) && isJson(one, levels - 1));
}
