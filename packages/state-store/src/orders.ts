import { columns } from "./columns.ts";
import { type Database, query } from "./query.ts";

/** An order as the order database keeps it. Amounts are in minor units of the currency. */
export interface OrderRecord {
  readonly customer: string;
  readonly currency: string;
  readonly total: number;
  readonly lines: readonly {
    readonly sku: string;
    readonly quantity: number;
    readonly unitPrice: number;
  }[];
}

const insert = query("insert-orders");

/** Sends what writes orders down under the ids of their tasks. */
export function insertOrders(
  db: Database,
  orders: readonly { readonly taskId: string; readonly order: OrderRecord }[],
): Promise<unknown> {
  const heads = orders.map(({ taskId, order }) => ({ taskId, ...order }));
  const lines = orders.flatMap(({ taskId, order }) =>
    order.lines.map((line, index) => ({ taskId, line: index + 1, ...line })),
  );
  return insert(db, {
    ...columns(heads, {
      orderIds: "taskId",
      customers: "customer",
      currencies: "currency",
      totals: "total",
    }),
    ...columns(lines, {
      lineOrderIds: "taskId",
      lines: "line",
      skus: "sku",
      quantities: "quantity",
      unitPrices: "unitPrice",
    }),
  });
}
