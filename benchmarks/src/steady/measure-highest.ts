import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { documentedOrder, overHttp } from "@holdfast/load";
import { inFlight } from "../peers/in-flight.ts";
import { countTasks } from "./count-tasks.ts";

const warmUp = 2_000;
const width = 100;

/** Orders a second, from the first submission to the last reply. */
export async function measureHighest(
  storeUrl: string,
  submissionUrl: string,
  { orders }: { readonly orders: number },
): Promise<number> {
  await burst(storeUrl, submissionUrl, warmUp);
  const from = performance.now();
  await burst(storeUrl, submissionUrl, orders);
  return Math.round((orders / (performance.now() - from)) * 1_000);
}

async function burst(storeUrl: string, submissionUrl: string, orders: number): Promise<void> {
  const send = overHttp(() => [submissionUrl]);
  const body = documentedOrder();
  const submit = async () => {
    const { kind } = await send({ key: randomUUID(), body });
    if (kind !== "accepted") throw new Error("An order was not taken.");
  };
  await inFlight(submit, { times: orders, width });
  while ((await countTasks(storeUrl, "finished_at is null")) > 0) await sleep(50);
}
