import { StepCancel } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { ServedAgent } from "./serve-agent.ts";

/**
 * Stops the attempts that need not be finished, and logs which replies of these Agents were
 * refused. Every instance receives every such hint.
 */
export const cancelAttempts =
  (served: readonly ServedAgent[], log: Pick<Logger, "warn" | "error">) =>
  async ({ body, messageId }: Delivery): Promise<void> => {
    try {
      const attempt = StepCancel.decode(body);
      for (const agent of served) agent.cancel(attempt);
      const { refused, token: _token, ...address } = attempt;
      if (served.some(({ name }) => name === refused?.agent)) {
        log.error({ ...address, ...refused }, "reply refused");
      }
    } catch (err) {
      log.warn({ err, messageId }, "hint unreadable");
    }
  };
