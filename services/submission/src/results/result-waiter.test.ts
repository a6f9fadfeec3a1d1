import { defaultLimits, openGuard } from "@holdfast/runtime/http";
import { expect, test } from "@jest/globals";
import { resultWaiter } from "./result-waiter.ts";

const timeout = 20_000;
const stays = () => {};
const caller = { address: "10.0.0.1", block: "10.0.0.1", isOperator: false };
const roomOf = (addressShare: number) =>
  openGuard({ ...defaultLimits, addressShare }).shares(1_000);

/** A store whose tasks end when the test says so. */
function storeOf() {
  const ended = new Set<string>();
  const looks: (readonly string[])[] = [];
  let asking = 0;
  return {
    ended,
    looks,
    findFinishedTasks: async ({ taskIds }: { readonly taskIds: readonly string[] }) => {
      expect(++asking).toBe(1);
      looks.push(taskIds);
      await Promise.resolve();
      asking -= 1;
      return taskIds.filter((id) => ended.has(id));
    },
  };
}

test("all requests that wait share one look at the store, and each goes when its task has ended", async () => {
  const store = storeOf();
  const waiter = resultWaiter({ store, room: roomOf(100) });
  const ids = Array.from({ length: 300 }, (_, number) => `task-${number % 100}`);
  const waits = ids.map((id) => waiter.wait(id, { caller, timeout, onGone: stays }));
  for (const id of ids.slice(0, 50)) store.ended.add(id);
  await Promise.all(waits.filter((_, at) => at % 100 < 50));
  expect(store.looks).toHaveLength(1);
  expect(store.looks[0]).toHaveLength(100);
  for (const id of ids) store.ended.add(id);
  await Promise.all(waits);
  expect(store.looks).toHaveLength(2);
  expect(store.looks[1]).toHaveLength(50);
});

test("the store is not asked while no request waits, and a client that leaves is forgotten", async () => {
  const store = storeOf();
  const waiter = resultWaiter({ store, room: roomOf(100) });
  let leave = stays;
  const wait = waiter.wait("a", {
    caller,
    timeout,
    onGone: (call) => {
      leave = call;
    },
  });
  leave();
  await wait;
  store.ended.add("b");
  await waiter.wait("b", { caller, timeout, onGone: stays });
  expect(store.looks).toEqual([["b"]]);
});

test("a wait ends when its time is over, also while the store does not answer", async () => {
  const waiter = resultWaiter({
    room: roomOf(100),
    store: {
      findFinishedTasks: async () => {
        throw new Error("away");
      },
    },
  });
  await waiter.wait("a", { caller, timeout: 60, onGone: stays });
});

test("beyond a thousand waits a request does not wait, and stopping lets all go", async () => {
  const store = storeOf();
  const waiter = resultWaiter({ store, room: roomOf(100) });
  const waits = Array.from({ length: 1_000 }, (_, number) =>
    waiter.wait(`task-${number}`, { caller, timeout, onGone: stays }),
  );
  await waiter.wait("one more", { caller, timeout, onGone: stays });
  waiter.stop();
  await Promise.all(waits);
  await waiter.wait("after the stop", { caller, timeout, onGone: stays });
  expect(store.looks.flat()).not.toContain("one more");
});

test("waits of one address leave room for those of others", async () => {
  const store = storeOf();
  const waiter = resultWaiter({ store, room: roomOf(25) });
  const waits = Array.from({ length: 1_000 }, (_, number) =>
    waiter.wait(`task-${number}`, { caller, timeout, onGone: stays }),
  );
  const other = { ...caller, block: "10.0.0.2" };
  const honest = waiter.wait("honest", { caller: other, timeout, onGone: stays });
  store.ended.add("honest");
  await honest;
  expect(store.looks.at(-1)).toHaveLength(251);
  waiter.stop();
  await Promise.all(waits);
});
