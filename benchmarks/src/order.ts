import { randomUUID } from "node:crypto";

/** What is submitted as an order, and handed to each of its steps: some 400 bytes of JSON. */
export interface Order {
  readonly id: string;
  readonly padding: string;
}

const padding = "x".repeat(340);

export const newOrder = (): Order => ({ id: randomUUID(), padding });

/** Makes so many new orders, in parts of at most `size`. */
export function* batchesOfOrders(orders: number, size: number): Generator<readonly Order[]> {
  for (let left = orders; left > 0; left -= size) {
    yield Array.from({ length: Math.min(size, left) }, newOrder);
  }
}
