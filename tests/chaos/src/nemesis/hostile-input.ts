import {
  type HostileInput,
  hostileInput,
  type InputClassName,
  openMessageSender,
  openRequestSender,
} from "@holdfast/fuzz";
import { userOf } from "@holdfast/messaging";
import { operatorToken } from "@holdfast/processes";
import { between, pick } from "./chance.ts";
import type { FaultClass, Field } from "./fault-class.ts";

/** How many inputs one fault sends. */
const inputs = 200;

/**
 * An order that was accepted would be one that the client did not submit: `pnpm fuzz` sends those.
 */
const orders: ReadonlySet<string> = new Set(["submission", "POST order"]);

/**
 * What `pnpm fuzz` sends, while servers and processes are broken. Schemas are stored by operations,
 * which is not here.
 */
export const hostileInputFaults: readonly FaultClass[] = [
  { name: "hostile-input", server: "broker", weight: 3, strike: sending("damaged") },
  { name: "deep-input", server: "broker", weight: 2, strike: sending("deep") },
  { name: "large-input", server: "broker", weight: 2, strike: sending("large") },
  { name: "odd-times", server: "broker", weight: 2, strike: sending("times") },
];

function sending(inputClass: InputClassName) {
  return async ({ environment, random, poisoned }: Field) => {
    const seed = between(1, 2 ** 31, random);
    const around = {
      userId: userOf(environment.broker.url),
      operatorToken,
      bait: () => null,
      order: () => null,
      classes: [inputClass],
    };
    await using messages = await openMessageSender(environment.broker.url);
    using requests = openRequestSender(10);
    const send = async (input: HostileInput): Promise<void> => {
      if (input.kind === "request") {
        const urls = environment.processes.submissionUrls();
        // A service that is being killed answers nothing.
        if (urls.length > 0) await requests.send(pick(urls, random), input).catch(() => null);
        return;
      }
      const messageId = `poison-${between(0, 2 ** 48, random)}`;
      poisoned(messageId);
      await messages.send({ ...input, properties: { ...input.properties, messageId } });
    };
    for (let index = 0; index < inputs; index += 1) {
      const input = hostileInput(seed, index, around);
      if (!orders.has(input.target)) await send(input);
    }
    return { target: `inputs of seed ${seed}` };
  };
}
