import { StepCancel } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { ServedAgent } from "./serve-agent.ts";

/** Stops the attempts that need not be finished. Every instance receives every such hint. */
export const cancelAttempts =
  (served: readonly ServedAgent[], log: Pick<Logger, "warn">) =>
  async ({ body, messageId }: Delivery): Promise<void> => {
    try {
      const attempt = StepCancel.decode(body);
      for (const agent of served) agent.cancel(attempt);
    } catch (err) {
      log.warn({ err, messageId }, "hint unreadable");
    }
  };
