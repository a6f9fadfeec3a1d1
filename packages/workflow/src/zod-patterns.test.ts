import { schemaCompiler } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { z as now } from "zod";
import { z as earlier } from "zod-4.2";
import { jsonSchemaOf, type Schema } from "./schema.ts";

type Zod = typeof now;

/** Each format for which zod writes a pattern, and a text that it takes. */
const formats: readonly (readonly [name: string, of: (z: Zod) => Schema, good: string])[] = [
  ["base64", (z) => z.base64(), "aGVsbG8="],
  ["base64url", (z) => z.base64url(), "aGVsbG8"],
  ["cidrv4", (z) => z.cidrv4(), "10.0.0.0/8"],
  ["cidrv6", (z) => z.cidrv6(), "2001:db8:0:0:0:0:0:1/64"],
  ["cuid", (z) => z.cuid(), "cjld2cjxh0000qzrmn831i7rn"],
  ["cuid2", (z) => z.cuid2(), "tz4a98xxat96iws9zmbrgj3a"],
  ["date", (z) => z.iso.date(), "2024-02-29"],
  ["datetime", (z) => z.iso.datetime({ offset: true }), "2026-01-31T12:00:00+01:00"],
  ["duration", (z) => z.iso.duration(), "P1Y2M3DT4H5M6.7S"],
  ["e164", (z) => z.e164(), "+33123456789"],
  ["email", (z) => z.email(), "ada.lovelace@example.com"],
  ["email of HTML", (z) => z.email({ pattern: z.regexes.html5Email }), "ada@example.com"],
  ["email in Unicode", (z) => z.email({ pattern: z.regexes.unicodeEmail }), "adä@exämple.com"],
  ["emoji", (z) => z.emoji(), "🚀🚀"],
  ["guid", (z) => z.guid(), "01a1fd8d-d928-77c8-96cb-353aaba1757f"],
  ["hostname", (z) => z.hostname(), "www.example.com"],
  ["ipv4", (z) => z.ipv4(), "127.0.0.1"],
  ["ipv6", (z) => z.ipv6(), "2001:db8::1"],
  ["ksuid", (z) => z.ksuid(), "0ujtsYcgvSTl8PAuAdqWYSMnLOv"],
  ["lowercase", (z) => z.string().lowercase(), "ada"],
  ["nanoid", (z) => z.nanoid(), "V1StGXR8_Z5jdHi6B-myT"],
  ["several at once", (z) => z.string().startsWith("a").endsWith("z").includes("."), "a.z"],
  ["template", (z) => z.templateLiteral(["order-", z.number()]), "order-12"],
  ["time", (z) => z.iso.time(), "12:00:00"],
  ["ulid", (z) => z.ulid(), "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
  ["uppercase", (z) => z.string().uppercase(), "ADA"],
  ["uuid", (z) => z.uuid(), "01a1fd8d-d928-77c8-96cb-353aaba1757f"],
  ["xid", (z) => z.xid(), "9m4e2mr0ui3e8a215n4g"],
];

describe.each([
  ["this", now],
  ["an earlier", earlier as unknown as Zod],
])("%s release of zod", (_release, z) => {
  test.each(formats)(
    "writes a pattern for %s that is checked as zod does it",
    (_format, of, good) => {
      const schema = of(z);
      const json = jsonSchemaOf(schema);
      const { check, leftOut } = schemaCompiler({ allErrors: false })(json);
      expect(JSON.stringify(json)).toContain('"pattern"');
      expect(leftOut).toEqual([]);
      const texts = [good, `${good}\n`, `${good}é`, good.slice(1), good.toUpperCase(), "", "."];
      const expected = texts.map((text) => matches(json, text));
      expect(texts.map((text) => check(text).errors.length === 0)).toEqual(expected);
      expect(expected[0]).toBe(true);
    },
  );
});

/** What JavaScript says to the patterns of a schema. */
function matches(json: { readonly [key: string]: Json }, text: string): boolean {
  const { pattern, allOf = [] } = json;
  const more = (allOf as readonly { readonly [key: string]: Json }[]).every((part) =>
    matches(part, text),
  );
  return more && (typeof pattern !== "string" || new RegExp(pattern, "u").test(text));
}
