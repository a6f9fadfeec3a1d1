import { readFileSync } from "node:fs";

/** The order that the documentation submits. */
export const documentedOrder = (): Buffer =>
  readFileSync(new URL("../../../docs/order.json", import.meta.url));
