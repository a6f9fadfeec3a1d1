import { inspect } from "node:util";
import { expect, test } from "@jest/globals";
import {
  at,
  pointerOf,
  type Ref,
  type ResultOf,
  refTo,
  type Template,
  type WholeTemplate,
} from "./ref.ts";

interface Order {
  readonly total: number;
  readonly "a/b~c": string;
  readonly customer: { readonly name: string; readonly email: string | null };
  readonly gift: { readonly from: string } | null;
  readonly note?: string;
  readonly tags: readonly string[];
}
const order = refTo<Order>("/input");

test("a property of a ref is a ref with a longer pointer", () => {
  expect(pointerOf(order)).toBe("/input");
  expect(pointerOf(order.customer.name)).toBe("/input/customer/name");
  expect(pointerOf(order["a/b~c"])).toBe("/input/a~1b~0c");
});

test("an element of a list has its index in the pointer, and may be missing", () => {
  const first = at(order.tags, 0);
  expect(pointerOf(first)).toBe("/input/tags/0");
  const missing: Template<string | undefined> = first;
  // @ts-expect-error: the list may be empty
  const there: Template<string> = first;
  expect([missing, there]).toHaveLength(2);
  // @ts-expect-error: no list
  expect(pointerOf(at(order.note, 1))).toBe("/input/note/1");
  for (const index of [-1, 0.5, Number.NaN]) {
    expect(() => at(order.tags, index)).toThrow(
      `at(/input/tags, ${index}): give it a list that is a ref, and an index from 0 on`,
    );
  }
  expect(() => at([] as never, 0)).toThrow("at(object, 0): give it a list that is a ref");
});

test.each([1, "x", null, undefined, {}, [], { pointer: "/input" }, () => 1])(
  "%j is not a ref",
  (value) => {
    expect(pointerOf(value)).toBeNull();
  },
);

test.each<[string, () => unknown]>([
  ["put into a text", () => `total: ${order.total as unknown as string}`],
  ["added to", () => (order.total as unknown as number) + 1],
  ["compared", () => (order.total as unknown as number) > 100],
  ["iterated over", () => [...(order.tags as unknown as readonly string[])]],
  ["spread", () => ({ ...order.customer })],
  ["searched", () => "name" in order.customer],
  ["listed", () => Object.keys(order.customer)],
  ["turned to JSON", () => JSON.stringify({ order })],
  ["used as a key", () => ({ [order.total as unknown as string]: 1 })],
  ["asked for its text", () => (order.total as unknown as number).toString()],
  ["called", () => (order.customer.name as unknown as string).toUpperCase()],
])("a ref that is %s says what to do instead", (_, misuse) => {
  expect(misuse).toThrow(/is not known yet: hand it to a step as it is/);
});

test("a ref prints as what it stands for", () => {
  expect(inspect(order.customer.name)).toBe("Ref(/input/customer/name)");
  expect(inspect({ order })).toBe("{ order: Ref(/input) }");
});

test("a field of a value may have any name, those of functions too", () => {
  const fields = refTo<Record<"name" | "length" | "prototype" | "caller", number>>("/input");
  const pointers = [fields.name, fields.length, fields.prototype, fields.caller].map(pointerOf);
  expect(pointers).toEqual(["/input/name", "/input/length", "/input/prototype", "/input/caller"]);
});

test("a ref cannot be changed", () => {
  expect(() => Object.assign(order, { total: 1 })).toThrow(/is not known yet/);
});

test("the types accept refs of fitting types only", () => {
  const total: Template<number> = order.total;
  const email: Template<string | null> = order.customer.email;
  const nested: Template<{ name: string; ids: readonly number[] }> = {
    name: order.customer.name,
    ids: [1, order.total],
  };
  // @ts-expect-error: below what may be null everything may be null
  const from: Template<string> = order.gift.from;
  // @ts-expect-error: it may be missing
  const note: Template<string> = order.note;
  const left: Template<{ note?: string }> = { note: order.note };
  const listed: Template<readonly (string | null)[]> = [order.note, order.customer.name];
  const whole: WholeTemplate<string | null> = order.note;
  // @ts-expect-error: in this list there is no null
  const strict: Template<readonly string[]> = [order.note];
  // @ts-expect-error: a field that may be null may not be left out for that
  const kept: Template<{ note: string | null }> = { note: order.note };
  // @ts-expect-error: another type
  const name: Template<string> = order.total;
  // @ts-expect-error: no such field
  const unknown: Ref<unknown> = order.customer.phone;
  expect([total, email, nested, from, note, name, unknown]).toHaveLength(7);
  expect([left, listed, whole, strict, kept]).toHaveLength(5);
});

test("the types of a result leave out the fields of what may be missing", () => {
  const plan = { id: order.total, note: order.note, all: [order.note], from: order.gift.from };
  const some: ResultOf<typeof plan> = { id: 1, all: [null], from: null };
  const every: ResultOf<typeof plan> = { id: 1, note: "x", all: ["x"], from: "y" };
  const alone: ResultOf<typeof order.note> = null;
  // @ts-expect-error: it is always there
  const none: ResultOf<typeof plan> = { all: [], from: null };
  // @ts-expect-error: it is left out, and never null
  const empty: ResultOf<typeof plan> = { id: 1, note: null, all: [], from: null };
  expect([some, every, alone, none, empty]).toHaveLength(5);
});
