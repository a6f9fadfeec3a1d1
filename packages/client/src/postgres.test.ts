import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { holdfastClient } from "./index.ts";
import { submitTasks, type TransactionClient } from "./postgres.ts";

const hotels = defineAgent("hotels", {
  book: { input: z.object({ guest: z.string() }), output: z.object({ bookingId: z.string() }) },
});
const stay = defineWorkflow("stay.v1", z.object({ guest: z.string() }), (input, step) => {
  const hotel = step("hotel", { call: hotels.book({ guest: input.guest }), completeWithin: "10s" });
  return { bookingId: hotel.bookingId };
});

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T => true as T;

/** Calls that the compiler reads, and that never run. */
async function typed(client: TransactionClient) {
  const [task, other] = await submitTasks(client, [
    { workflow: stay, input: { guest: "Ada" }, key: "k" },
    { workflow: "any", input: { anything: 1 } },
  ]);
  // @ts-expect-error the input has a guest
  await submitTasks(client, [{ workflow: stay, input: { gast: "Ada" } }]);
  const ended = await holdfastClient({ url: "" }).result(task);
  if (ended.state === "processed") holds<Is<typeof ended.result.bookingId, string>>();
  const unknown = await holdfastClient({ url: "" }).result(other);
  holds<Is<typeof unknown.result, unknown>>();
}

test("a task in a transaction is sent by the name of its workflow, and is one that the client takes", async () => {
  const definition = stay.definition;
  const asked: unknown[][] = [];
  const client: TransactionClient = {
    async query(text, values) {
      asked.push(values);
      return text.includes("find_workflow_to_submit")
        ? { rows: [{ name: definition.name, definition }] }
        : { rows: [{ taskId: "t1", replayed: false }] };
    },
  };
  const [task] = await submitTasks(client, [{ workflow: stay, input: { guest: "Ada" } }]);
  expect(task).toEqual({ id: "t1", taskId: "t1", replayed: false });
  expect(asked[0]).toEqual(["stay.v1"]);
  expect(JSON.parse(String(asked[1]?.[0]))).toEqual({
    workflow: "stay.v1",
    input: { guest: "Ada" },
  });
  expect(typeof typed).toBe("function");
});
