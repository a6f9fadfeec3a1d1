import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

const order = readFileSync(new URL("../../../../docs/order.json", import.meta.url));
const connections = 100;

/** Submits an order over HTTP, under a key of its own. Resolves to whether it was taken. */
export type PostOrder = () => Promise<boolean>;

export function orderPoster(url: string): PostOrder {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const target = new URL("/v1/orders", url);
  return () =>
    new Promise((resolve) => {
      const headers = {
        "content-type": "application/json",
        "content-length": order.length,
        "idempotency-key": randomUUID(),
      };
      request(target, { agent, method: "POST", headers })
        .on("response", (answer) => {
          answer.resume().on("end", () => resolve(answer.statusCode === 202));
        })
        .on("error", () => resolve(false))
        .end(order);
    });
}
