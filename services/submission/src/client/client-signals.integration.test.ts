import { type HoldfastClient, holdfastClient } from "@holdfast/client";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Commanded, json, openCommanded } from "../../test/command.ts";
import { paying } from "../../test/paying.ts";
import { token } from "../../test/trips.ts";

let commanded: Commanded;
let client: HoldfastClient;
beforeAll(async () => {
  commanded = await openCommanded();
  await commanded.trips.store.registerWorkflow(paying);
  client = holdfastClient({ url: commanded.url, token });
});
afterAll(async () => {
  await commanded[Symbol.asyncDispose]();
});

const payload = { paymentId: "P-1", amount: 240 };
const order = async (key: string) => (await client.submit("paying", { order: "7" }, { key })).id;
const fire = () =>
  commanded.trips.store.fireWaits({ actor: "scheduler-1", most: 10, expected: null });

describe("a signal of the client", () => {
  test("ends the wait of its task, and is listed with the step that took it", async () => {
    const id = await order("by-id");
    const sent = await client.tasks.signal(id, "paid", payload, { id: "evt-1", actor: "ann" });
    expect(sent).toMatchObject({ taskId: id, replayed: false });
    expect(await client.tasks.signal(id, "paid", payload, { id: "evt-1" })).toEqual({
      ...sent,
      replayed: true,
    });
    await fire();
    expect(await client.result(id)).toMatchObject({ state: "processed", result: "P-1" });
    expect(await client.tasks.signals(id)).toMatchObject([
      { id: "evt-1", sentBy: "operator:ann", takenBy: "payment", payload },
    ]);
  });

  test("that breaks its schema throws what is wrong with it", async () => {
    const sending = client.tasks.signal(await order("broken"), "paid", { amount: 0 });
    await expect(sending).rejects.toMatchObject({
      status: 400,
      code: "signal.invalid",
      errors: expect.arrayContaining([{ pointer: "/paymentId", detail: "is missing" }]),
    });
  });

  test("for a business key is held until its task is submitted", async () => {
    const signal = { workflow: "paying", businessKey: "early", payload, id: "evt-1" };
    await expect(client.signals.send("paid", signal)).rejects.toMatchObject({
      code: "task.unknown",
    });
    const held = await client.signals.send("paid", { ...signal, holdFor: "7d" });
    expect(held).toMatchObject({ taskId: null, heldUntil: expect.any(String) });
    const id = await order("early");
    await fire();
    expect((await client.tasks.get(id)).state).toBe("processed");
  });
});

describe("a signal of the command", () => {
  test("is sent to a task, listed, and refused with its place where it breaks its schema", async () => {
    const holdfast: Commanded["holdfast"] = (...args) => commanded.holdfast(...args);
    const id = await order("by-command");
    const line = ["tasks", "signal", id, "paid", "--actor", "ann", "--id", "evt-1", "--payload"];
    const broken = await holdfast([...line, "{}"]);
    expect(broken.code).toBe(5);
    expect(broken.err).toContain("/paymentId is missing");
    const sent = await holdfast([...line, "-"], { stdin: JSON.stringify(payload) });
    expect(sent).toMatchObject({ code: 0, out: `Signal paid evt-1 is with task ${id}.\n` });
    await fire();
    const listed = await holdfast(["tasks", "signals", id, "--json"]);
    expect(json(listed)).toMatchObject([{ id: "evt-1", sentBy: "operator:ann", payload }]);
    expect((await holdfast(["tasks", "signals", id])).out).toMatch(/paid +evt-1 .* payment +/);
  });

  test("is held for a business key", async () => {
    const { out } = await commanded.holdfast([
      ..."signals send paid --workflow paying --key later --id evt-1 --hold-for 7d".split(" "),
      "--payload",
      JSON.stringify(payload),
    ]);
    expect(out).toMatch(/^Signal paid evt-1 is held until 2/);
  });
});
