import { schemaMeaning } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import * as newer from "zod";
import * as older from "zod-4.2";
import { jsonSchemaOf, type Schema } from "./schema.ts";

/** What the two releases print differently, among what they print alike. */
const customer = (z: Pick<typeof newer, keyof typeof older & keyof typeof newer>): Schema =>
  z.object({
    id: z.uuid(),
    email: z.email().max(254),
    orderedAt: z.iso.datetime(),
    nickname: z.string().nullable(),
    reference: z.union([z.string(), z.number()]),
    age: z.int().positive().optional(),
    kind: z.enum(["private", "business"]),
    tags: z.array(z.string().min(1)).max(5),
    limits: z.record(z.string(), z.number().min(0)),
    code: z.string().regex(/^[A-Z]{3}$/),
  });

const [before, after] = [older as unknown as typeof newer, newer].map((z) =>
  jsonSchemaOf(customer(z)),
);

test("an upgrade of zod prints the same schema differently", () => {
  expect(after).not.toEqual(before);
});

test("an upgrade of zod leaves the meaning of a schema as it was", () => {
  expect(schemaMeaning(after ?? null)).toEqual(schemaMeaning(before ?? null));
});
