import { setTimeout as sleep } from "node:timers/promises";
import { inFlight } from "../peers/in-flight.ts";
import { countTasks } from "./count-tasks.ts";
import type { PostOrder } from "./post-order.ts";

const warmUp = 2_000;
const width = 100;

/** Orders a second, from the first submission to the last reply. */
export async function measureHighest(
  url: string,
  post: PostOrder,
  { orders }: { readonly orders: number },
): Promise<number> {
  await burst(url, post, warmUp);
  const from = performance.now();
  await burst(url, post, orders);
  return Math.round((orders / (performance.now() - from)) * 1_000);
}

async function burst(url: string, post: PostOrder, orders: number): Promise<void> {
  const submit = async () => {
    if (!(await post())) throw new Error("An order was not taken.");
  };
  await inFlight(submit, { times: orders, width });
  while ((await countTasks(url, "finished_at is null")) > 0) await sleep(50);
}
