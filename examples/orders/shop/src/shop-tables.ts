import { readFileSync } from "node:fs";

/**
 * The statements that make the shop's tables; running them again is harmless. For the owner of the
 * database.
 */
export const shopTables = (): string =>
  readFileSync(new URL("../sql/0001_orders.sql", import.meta.url), "utf8");
