import { queryOnce } from "@holdfast/local-stack";
import { fulfilOrder, type Order, sampleOrder } from "@holdfast/orders";
import { openStateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Client } from "pg";
import { placeOrder } from "./place-order.ts";
import { shopTables } from "./shop-tables.ts";

const resources = new AsyncDisposableStack();
let url: string;
let shop: Client;
beforeAll(async () => {
  const database = resources.use(await migratedDatabase());
  ({ url } = database);
  await queryOnce(url, shopTables());
  await queryOnce(url, shopTables());
  await using store = await openStateStore({ url, applicationName: "test", maxConnections: 1 });
  await store.registerWorkflow(fulfilOrder.definition);
  shop = new Client({ connectionString: url });
  await shop.connect();
  resources.defer(() => shop.end());
  await shop.query("set role holdfast_application");
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(async () => {
  await queryOnce(
    url,
    "truncate orders.orders, orders.order_lines, state.inbox, state.submissions",
  );
});

const order = sampleOrder({ kind: "good" });

async function place(placed: Order, key: string, onPlaced?: () => Promise<unknown>) {
  await shop.query("begin");
  try {
    const id = await placeOrder(shop, placed, key);
    await onPlaced?.();
    await shop.query("commit");
    return id;
  } catch (error) {
    await shop.query("rollback");
    throw error;
  }
}

const counts = async () =>
  (
    await queryOnce<object>(
      url,
      `select (select count(*)::integer from orders.orders) as orders,
              (select count(*)::integer from orders.order_lines) as lines,
              (select count(*)::integer from state.inbox where replay_of is null) as tasks`,
    )
  )[0];
const nothing = { orders: 0, lines: 0, tasks: 0 };

test("an order, its lines and the submission of its task are written in one transaction", async () => {
  const id = await place(order, "a");
  expect(await counts()).toEqual({ orders: 1, lines: order.lines.length, tasks: 1 });
  const joined = await queryOnce<object>(
    url,
    "select order_id::text as id from orders.orders join state.inbox on task_id = order_id",
  );
  expect(joined).toEqual([{ id }]);
});

test.each<[string, () => Promise<unknown>]>([
  ["the shop thinks better of it", async () => Promise.reject(new Error("no"))],
  ["a statement of the shop fails", () => shop.query("select 1 / 0")],
])("when %s, neither the order nor the submission of its task is written", async (_, fail) => {
  await expect(place(order, "b", fail)).rejects.toThrow();
  expect(await counts()).toEqual(nothing);
  await place(order, "b");
});

test("the same key places one order", async () => {
  const id = await place(order, "c");
  expect(await place(order, "c")).toBe(id);
  expect(await counts()).toMatchObject({ orders: 1, tasks: 1 });
});

test("an order whose total is not what its lines add up to is not placed", async () => {
  await expect(place({ ...order, total: 1 }, "d")).rejects.toThrow("add up to");
  expect(await counts()).toEqual(nothing);
});
