import { validateDefinition } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { payments } from "../test/fixtures.ts";
import { collectWorkflows } from "./collect-workflows.ts";
import { type AddStep, defineWorkflow } from "./define-workflow.ts";
import type { Ref } from "./ref.ts";

const Trip = z.object({
  city: z.string(),
  price: z.object({ amount: z.int(), currency: z.string() }),
});
const charge = (step: AddStep, trip: Ref<z.input<typeof Trip>>) =>
  step("charge", { call: payments.assess({ price: trip.price }), completeWithin: "1s" });
const good = (name: `${string}.v1`) =>
  defineWorkflow(name, Trip, (trip, step) => charge(step, trip));
/** Defined in a module that is loaded: it throws where it stands otherwise. */
const dated = (name: `${string}.v1`) =>
  defineWorkflow(name, z.object({ when: z.date() }) as unknown as typeof Trip, () => null);

const collect = (load: () => object) => collectWorkflows(async () => load(), validateDefinition);
const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name);

test("the workflows of a module are checked among all else that it exports", async () => {
  const right = good("right.v1");
  const wrong = defineWorkflow("wrong.v1", Trip, (trip, step) => {
    if (trip.city as unknown as boolean) charge(step, trip);
  });
  expect(Object.keys(wrong)).toEqual(["name", "input", "definition"]);
  const others = { text: "x", none: null, list: [1], right };
  expect(await collect(() => others)).toMatchObject({
    definitions: [{ name: "right.v1" }],
    refused: [],
  });
  expect(await collect(() => ({ ...others, wrong }))).toMatchObject({
    definitions: [{ name: "right.v1" }],
    refused: [
      { name: "wrong.v1", error: { message: expect.stringContaining("wrong.v1, line 2 of") } },
    ],
  });
});

test.each<readonly [string, () => unknown, RegExp]>([
  ["schema is no JSON Schema", () => dated("wrong.v1"), /^wrong\.v1, input\/when: a Date cannot/],
  [
    "function throws",
    () =>
      defineWorkflow("wrong.v1", Trip, () => {
        throw new TypeError("no such thing");
      }),
    /^no such thing$/,
  ],
  [
    "definition is invalid",
    () => ({ ...good("wrong.v1").definition, name: "wrong.v1", steps: [{ name: "a" }] }),
    /wrong\.v1, step "a": /,
  ],
])(
  "a workflow whose %s is refused by its name, and no other of its module",
  async (_, define, why) => {
    const load = () => ({ before: good("before.v1"), wrong: define(), after: good("after.v1") });
    const { definitions, refused } = await collect(load);
    expect(namesOf(definitions)).toEqual(["before.v1", "after.v1"]);
    expect(refused).toEqual([
      { name: "wrong.v1", error: expect.objectContaining({ message: expect.stringMatching(why) }) },
    ]);
  },
);

test("a workflow that is refused is named although its module does not export it, and fails what uses it", async () => {
  const { refused } = await collect(() => {
    dated("wrong.v1");
    return {};
  });
  expect(namesOf(refused)).toEqual(["wrong.v1"]);
  await expect(collect(() => ({ steps: dated("wrong.v1").definition.steps }))).rejects.toThrow(
    /^wrong\.v1, input\/when/,
  );
});

test("defineWorkflow throws again once no module is being loaded", async () => {
  await expect(
    collect(() => {
      throw new Error("a module that cannot be loaded");
    }),
  ).rejects.toThrow("cannot be loaded");
  expect(() => dated("wrong.v1")).toThrow(/^wrong\.v1, input\/when/);
});
