import { Agent, request } from "node:http";
import type { Order } from "../../../order.ts";

/** Posts an order to Restate's ingress; resolves when that has answered with success. */
export type Post = (path: string, order: Order) => Promise<void>;

/**
 * Node's own client: of those that speak HTTP it takes the least of the processors that all share.
 */
export function connectIngress(port: number, { sockets }: { readonly sockets: number }): Post {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  return (path, order) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(order);
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      };
      const asked = request(
        { host: "127.0.0.1", port, path, method: "POST", agent, headers },
        (answer) => {
          answer.resume();
          answer.once("error", reject);
          answer.once("end", () => {
            const { statusCode = 0 } = answer;
            if (statusCode < 300) resolve();
            else reject(new Error(`Restate's ingress answered ${statusCode}`));
          });
        },
      );
      asked.once("error", reject);
      asked.end(body);
    });
}
