import { fulfilOrder, type Order, SubmittedOrder } from "@holdfast/orders";
import { submitTasks, type TransactionClient } from "@holdfast/state-store";

const insertOrder = `
  with placed as (
    insert into orders.orders (order_id, customer, currency, total) values ($1, $2, $3, $4)
  )
  insert into orders.order_lines (order_id, line, sku, quantity, unit_price)
  select $1, line, sku, quantity, unit_price
    from unnest($5::text[], $6::integer[], $7::bigint[]) with ordinality
      as line (sku, quantity, unit_price, line)`;

/**
 * Writes an order into the shop's tables and submits its task, in the transaction of `client`: the
 * order is there, and its task will be, when it commits, or neither. Checks what a JSON Schema
 * cannot say, such as that the lines add up to the total. The same key gives the order that was
 * placed with it. Returns the id, which is also that of the task.
 */
export async function placeOrder(
  client: TransactionClient,
  order: Order,
  idempotencyKey: string,
): Promise<string> {
  const { customer, currency, total, lines, ...rest } = SubmittedOrder.parse(order);
  const [submitted] = await submitTasks(client, [
    {
      workflow: fulfilOrder.name,
      input: { ...rest, customer, currency, total, lines },
      idempotencyKey,
    },
  ]);
  const { taskId, replayed } = submitted!;
  if (replayed) return taskId;
  await client.query(insertOrder, [
    taskId,
    customer.id,
    currency,
    total,
    lines.map(({ sku }) => sku),
    lines.map(({ quantity }) => quantity),
    lines.map(({ unitPrice }) => unitPrice),
  ]);
  return taskId;
}
