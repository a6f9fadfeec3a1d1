import type { Handlers } from "@holdfast/agent";
import type { notifications } from "@holdfast/orders";
import type { PartnerClient } from "./partner-client.ts";

/** Has mails sent. */
export const notificationsHandlers = (mailer: PartnerClient): Handlers<typeof notifications> => ({
  confirmOrder: (body, { idempotencyKey: key, signal }) =>
    mailer.post("/notifications/confirmations", { body, key, signal }),
});
