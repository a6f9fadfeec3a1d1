import { host, PermanentFault } from "@holdfast/agent";
import { cards } from "../contracts/agents.ts";
import { openLedger } from "../remote/ledger.ts";

const ledger = openLedger("cards");

export const agent = host(cards, {
  async charge({ card, amount }, { idempotencyKey: key }) {
    if (card === "declined") throw new PermanentFault("cards.declined", "The card is declined");
    if (!ledger.make(key, `${amount} of ${card}`)) {
      throw new PermanentFault("cards.refunded", "This charge was refunded");
    }
    return { chargeId: key };
  },
  async refund({ key }) {
    ledger.undo(key);
  },
});
