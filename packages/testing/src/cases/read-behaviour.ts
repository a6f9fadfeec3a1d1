import type { Json } from "@holdfast/domain";
import type { Behaviour } from "./case.ts";
import {
  type Fields,
  isFields,
  listOf,
  type Place,
  readDuration,
  readFields,
  readOneOf,
  readText,
} from "./read-parts.ts";

const kinds = ["reply", "fail", "decline", "silence", "late", "crash"] as const;
const more = ["advance", "times"];
const most = 1_000;

/** What one call of a handler does. */
export function readBehaviour(json: Json, place: Place): readonly Behaviour[] {
  const fields = isFields(json) ? json : {};
  const named = kinds.filter((kind) => Object.hasOwn(fields, kind));
  const [kind] = named;
  if (kind === undefined || named.length > 1) {
    place.wrong(
      `must be an object with one of ${listOf(kinds)}${named.length > 1 ? `, not with ${named.join(" and ")}` : ""}`,
    );
    return [];
  }
  readFields(json, place, [kind, ...(kind === "late" ? ["by"] : []), ...more]);
  const timed = {
    advance:
      fields["advance"] === undefined
        ? null
        : (readDuration(fields["advance"], place.at("advance")) ?? null),
    times: readTimes(fields["times"], place.at("times")),
  };
  const what = readKind(kind, fields, place);
  return what === undefined ? [] : [{ ...what, ...timed }];
}

function readTimes(json: Json | undefined, place: Place): number | null {
  if (json === undefined) return 1;
  if (json === "always") return null;
  if (typeof json === "number" && Number.isInteger(json) && json >= 1 && json <= most) return json;
  place.wrong(`must be a whole number from 1 to ${most}, or "always"`);
  return 1;
}

type What = Behaviour extends infer B
  ? B extends Behaviour
    ? Omit<B, "advance" | "times">
    : never
  : never;

function readKind(kind: (typeof kinds)[number], fields: Fields, place: Place): What | undefined {
  const json = fields[kind] as Json;
  switch (kind) {
    case "reply":
      return { kind, output: json };
    case "late": {
      const by = fields["by"] === undefined ? "1s" : readDuration(fields["by"], place.at("by"));
      return by && { kind, output: json, by };
    }
    case "silence":
    case "crash":
      return json === true ? { kind } : place.at(kind).wrong("must be true");
    case "decline": {
      const code = readText(json, place.at(kind));
      const fault = {
        message: "declined",
        transient: false,
        effect: "none",
        retryAfter: null,
      } as const;
      return code === undefined ? undefined : { kind: "fail", code, ...fault };
    }
    case "fail":
      return readFail(json, place.at(kind));
  }
}

const failFields = ["code", "message", "transient", "effect", "retryAfter"];

function readFail(json: Json, place: Place): What | undefined {
  const usual = {
    message: "failed",
    transient: true,
    effect: "unknown",
    retryAfter: null,
  } as const;
  if (typeof json === "string" && json !== "") return { kind: "fail", code: json, ...usual };
  if (!isFields(json)) {
    return place.wrong(`must be a code, or an object with ${listOf(failFields)}`);
  }
  readFields(json, place, failFields);
  const code = readText(json["code"], place.at("code"));
  const { message = usual.message, transient = true, effect = usual.effect, retryAfter } = json;
  if (typeof message !== "string") place.at("message").wrong("must be a text");
  if (typeof transient !== "boolean") place.at("transient").wrong("must be true or false");
  if (transient === false && retryAfter !== undefined) {
    place.at("retryAfter").wrong("must be left out: a permanent fault is not tried again");
  }
  if (code === undefined) return undefined;
  return {
    kind: "fail",
    code,
    message: typeof message === "string" ? message : usual.message,
    transient: transient === true,
    effect: readOneOf(effect, place.at("effect"), ["none", "unknown"]) ?? usual.effect,
    retryAfter:
      retryAfter === undefined ? null : (readDuration(retryAfter, place.at("retryAfter")) ?? null),
  };
}
