import { type Duration, type Json, parseDuration } from "@holdfast/domain";
import type { CaseFault } from "./case.ts";

export type Fields = Readonly<Record<string, Json>>;

/** One place in a case while it is read: notes what is wrong there. */
export interface Place {
  readonly pointer: string;
  readonly at: (key: string | number) => Place;
  /** Notes a fault. Returns undefined, to be returned in the place of a value. */
  readonly wrong: (detail: string) => undefined;
}

export function placeAt(faults: CaseFault[], pointer = ""): Place {
  return {
    pointer,
    at: (key) =>
      placeAt(faults, `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`),
    wrong(detail) {
      faults.push({ pointer, detail });
    },
  };
}

export const isFields = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json);

/** The fields of an object, each of which must be among these. */
export function readFields(
  json: Json | undefined,
  place: Place,
  allowed: readonly string[],
): Fields | undefined {
  if (!isFields(json)) return place.wrong(`must be an object with ${listOf(allowed)}`);
  for (const key of Object.keys(json)) {
    if (allowed.includes(key)) continue;
    place.at(key).wrong(`is not known here; allowed are ${listOf(allowed)}`);
  }
  return json;
}

export const listOf = (names: readonly string[]): string => names.join(", ");

export function readText(json: Json | undefined, place: Place): string | undefined {
  if (typeof json === "string" && json !== "") return json;
  return place.wrong("must be a text that is not empty");
}

export function readDuration(json: Json | undefined, place: Place): Duration | undefined {
  if (typeof json === "string" && !Number.isNaN(parseDuration(json))) return json as Duration;
  return place.wrong("must be a number and ms, s, m, h or d, such as 30s");
}

export function readOneOf<T extends string>(
  json: Json | undefined,
  place: Place,
  allowed: readonly T[],
): T | undefined {
  const found = allowed.find((one) => one === json);
  return found ?? place.wrong(`must be one of ${listOf(allowed)}`);
}

export function readCount(json: Json | undefined, place: Place): number | undefined {
  if (typeof json === "number" && Number.isInteger(json) && json >= 0) return json;
  return place.wrong("must be a whole number that is not negative");
}

export function readNames(json: Json | undefined, place: Place): readonly string[] | undefined {
  if (!Array.isArray(json)) return place.wrong("must be a list of names of steps");
  const names: readonly Json[] = json;
  return names.flatMap((name, index) => readText(name, place.at(index)) ?? []);
}
