export { placeOrder } from "./place-order.ts";
export { shopTables } from "./shop-tables.ts";
