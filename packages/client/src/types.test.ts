import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { type HoldfastClient, holdfastClient } from "./index.ts";

const hotels = defineAgent("hotels", {
  book: {
    input: z.object({ guest: z.string() }),
    output: z.object({ bookingId: z.string(), nights: z.number() }),
    undo: "cancel",
  },
});
const stay = defineWorkflow("stay.v1", z.object({ guest: z.string() }), (input, step) => {
  const hotel = step("hotel", { call: hotels.book({ guest: input.guest }), completeWithin: "10s" });
  return { bookingId: hotel.bookingId, hotel, kind: "stay" };
});

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T => true as T;

/** Calls that the compiler reads, and that never run. */
async function typed(client: HoldfastClient) {
  const task = await client.submit(stay, { guest: "Ada" });
  // @ts-expect-error the input has a guest
  await client.submit(stay, { gast: "Ada" });
  const result = await client.result(task);
  if (result.state === "processed") {
    holds<Is<typeof result.result.bookingId, string>>();
    holds<Is<typeof result.result.hotel.nights, number>>();
    holds<Is<typeof result.result.kind, "stay">>();
  } else holds<Is<typeof result.result, null>>();
  const untyped = await client.run("stay", { anything: true });
  holds<Is<typeof untyped.result, unknown>>();
}

test("the types of input and result come from the workflow, which is sent by its name", async () => {
  const sent: unknown[] = [];
  const client = holdfastClient({
    url: "http://holdfast.test",
    fetch: async (_, init) => {
      sent.push(JSON.parse(init?.body as string));
      return new Response(JSON.stringify({ id: "t1" }), { status: 202 });
    },
  });
  await client.submit(stay, { guest: "Ada" }, { notBefore: new Date(0), labels: { a: "b" } });
  expect(sent).toEqual([
    {
      workflow: "stay.v1",
      input: { guest: "Ada" },
      labels: { a: "b" },
      notBefore: "1970-01-01T00:00:00.000Z",
    },
  ]);
  expect(typeof typed).toBe("function");
});
