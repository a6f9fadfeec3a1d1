import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { payments } from "../test/fixtures.ts";
import { checkPlan } from "./check-plan.ts";
import { and, equals, exists, not } from "./conditions.ts";
import { type AddStep, defineWorkflow, type Plan, planOf } from "./define-workflow.ts";
import type { Ref } from "./ref.ts";

const Trip = z.object({
  payNow: z.boolean(),
  city: z.string(),
  note: z.string().optional(),
  stops: z.array(z.string()),
  price: z.object({ amount: z.int(), currency: z.string() }),
});
type Input = z.input<typeof Trip>;

/** A plan as `defineWorkflow` returns it, for plans that need not end with a usable definition. */
const defined = (write: Plan<Input>) =>
  ({ name: "book.v1", definition: { steps: [] }, [planOf]: { write, following: [] } }) as const;
const charge = (step: AddStep, trip: Ref<Input>, name = "charge") =>
  step(name, { call: payments.assess({ price: trip.price }), completeWithin: "1s" });
const any = (value: unknown) => value as string | undefined;

/** Each decides while the steps are written down, and which words say so. */
const decisions: readonly [string, Plan<Input>, RegExp][] = [
  [
    "if",
    (trip, step) => {
      if (any(trip.payNow)) charge(step, trip);
    },
    /line 2 of its function, `any\(trip\.payNow\)`: is decided here and now/,
  ],
  ["a conditional expression", (trip) => (any(trip.payNow) ? 1 : 2), /decided here/],
  ["&&", (trip, step) => any(trip.payNow) && charge(step, trip), /decided here/],
  ["||", (trip) => any(trip.city) || "Paris", /right is never taken/],
  ["??", (trip) => any(trip.note) ?? "", /right is never taken/],
  ["!", (trip) => !any(trip.payNow), /decided here/],
  ["typeof", (trip) => typeof trip.city === "string", /decided here/],
  [
    "===",
    (trip) => (trip.city as unknown) === "Lyon",
    /equals, isIn, greaterThan, lessThan or exists/,
  ],
  [
    "switch",
    (trip) => {
      switch (any(trip.city)) {
        case undefined:
          return 1;
        default:
          return 2;
      }
    },
    /decided here/,
  ],
  [
    "while",
    (trip) => {
      while (any(trip.payNow)) break;
    },
    /decided here/,
  ],
  [
    "an if on what a step returns",
    (trip, step) => {
      const paid = charge(step, trip);
      if (any(paid)) charge(step, trip, "again");
    },
    /`any\(paid\)`: is decided here/,
  ],
  [
    "an if on a part of what a step returns",
    (trip, step) => {
      const { score } = charge(step, trip) as unknown as { readonly score: Ref<number> };
      if (any(score)) charge(step, trip, "again");
    },
    /decided here/,
  ],
  [
    "an if on a name that gets its value later",
    (trip) => {
      let wanted: unknown;
      const isWanted = () => (wanted ? 1 : 2);
      wanted = trip.city;
      return isWanted();
    },
    /`wanted`: is decided here/,
  ],
  ["an if on a condition", (trip) => (any(equals(trip.city, "Lyon")) ? 1 : 2), /decided here/],
  [
    "a default of a part of the input",
    (trip) => {
      const { note = "none" } = trip as unknown as { readonly note?: string };
      return note;
    },
    /`note = "none"`: what stands on the right/,
  ],
  [
    "a default in the parameters",
    (({ note = "none" }: { readonly note?: string }) => note) as never,
    /right is never taken/,
  ],
  [
    "catch around a step",
    (trip, step) => {
      try {
        charge(step, trip);
      } catch {
        charge(step, trip, "other");
      }
    },
    /the catch never runs/,
  ],
  ["the time of day", () => ({ at: Date.now() }), /the same for all tasks/],
  ["today's date", () => ({ at: new Date().toISOString() }), /the same for all tasks/],
  ["chance", () => ({ at: Math.random() }), /the same for all tasks/],
  [
    "an if in a method",
    Object.values({
      plan(trip: Ref<Input>) {
        if (any(trip.city)) return 1;
        return 2;
      },
    })[0]!,
    /line 2 of its function, `any\(trip\.city\)`/,
  ],
  [
    "an if in a function",
    function plan(trip) {
      return any(trip.city) ? 1 : 2;
    },
    /decided here/,
  ],
];

/** Each has what it decides from elsewhere, or leaves it to the tasks. */
const innocent: readonly [string, Plan<Input>][] = [
  [
    "conditions of steps",
    (trip, step) => {
      const call = payments.assess({ price: trip.price });
      step("a", { call, completeWithin: "1s", onlyIf: and(trip.payNow, not(exists(trip.note))) });
      step("b", { call, completeWithin: "1s", onlyIf: trip.payNow });
    },
  ],
  ["a setting", (trip) => (process.env["HOME"] === "" ? trip.city : trip.note)],
  [
    "a loop over a list of its own, with names that differ",
    (trip, step) => {
      const names = ["a", "b"];
      for (const name of names) if (name !== "") charge(step, trip, name);
    },
  ],
  ["a list of refs, by its length", (trip) => ([trip.city, trip.note].length > 1 ? 1 : 2)],
  [
    "what is allowed by a comment",
    (trip) => {
      // holdfast-allow: looked at for the sake of the example
      if (any(trip.city)) return 1;
      return any(trip.note) ? 1 : 2; // holdfast-allow
    },
  ],
  ["a fixed date", () => ({ at: new Date(0).toISOString() })],
];

describe("the plan of a workflow", () => {
  test.each(decisions)("is refused that decides by %s", (_, plan, words) => {
    const workflow = defined(plan);
    expect(() => checkPlan(workflow)).toThrow(
      expect.objectContaining({ code: "workflow.invalid", message: expect.stringMatching(words) }),
    );
  });

  test.each(innocent)("may have %s", (_, plan) => {
    expect(() => checkPlan(defined(plan))).not.toThrow();
  });

  test("is refused with a line for each decision, and one for a decision within another", () => {
    const workflow = defined((trip) => [
      any(trip.city) && any(trip.note) ? 1 : 2,
      any(trip.note) ?? "",
    ]);
    const message = (() => {
      try {
        checkPlan(workflow);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(message.split("\n")).toEqual([
      expect.stringMatching(/^book\.v1, line 2 of its function, `any\(trip\.city\) && /),
      expect.stringMatching(/^book\.v1, line 3 of its function, `any\(trip\.note\) \?\? ""`/),
    ]);
  });

  test("is not read where it has no source", () => {
    expect(() => checkPlan(defined(Math.max as unknown as Plan<Input>))).not.toThrow();
  });
});

describe("a join", () => {
  const branched = (last: Plan<Input>) =>
    defineWorkflow("book.v1", Trip, (trip, step) => {
      const quote = charge(step, trip, "quote");
      const branch = {
        call: payments.assess({ price: trip.price }),
        completeWithin: "1s",
      } as const;
      step("flight", { ...branch, after: [quote] });
      step("hotel", { ...branch, after: [quote] });
      last(trip, step);
    });

  test("that is forgotten is refused, once, with what to write instead", () => {
    const workflow = branched((trip, step) => {
      charge(step, trip, "pay");
      charge(step, trip, "tell");
    });
    expect(() => checkPlan(workflow)).toThrow(
      /^book\.v1, step "pay": says no after, so it follows hotel alone, and nothing waits for flight\. Write after: \[flight, hotel\] if it joins them, and after: \[hotel\] if it does not$/,
    );
  });

  test.each<[string, Plan<Input>]>([
    ["there is none, and branches end side by side", () => null],
    [
      "it says what it waits for",
      (trip, step) =>
        step("pay", {
          call: payments.assess({ price: trip.price }),
          completeWithin: "1s",
          after: ["hotel"],
        }),
    ],
    [
      "another step joins them further down",
      (trip, step) => {
        charge(step, trip, "pay");
        step("tell", {
          call: payments.assess({ price: trip.price }),
          completeWithin: "1s",
          after: ["flight", "pay"],
        });
      },
    ],
  ])("is not asked for where %s", (_, last) => {
    expect(() => checkPlan(branched(last))).not.toThrow();
  });
});
