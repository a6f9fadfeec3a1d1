import type { DeadLetter } from "@holdfast/client";
import { actOptions, readAct } from "../act-options.ts";
import { type OperationId, summaryOf } from "../operation.ts";
import { listingVerb, readingVerb } from "../operation-verb.ts";
import { own } from "../own-options.ts";
import { thereAreMore } from "../print.ts";
import { requestOptions } from "../request-options.ts";
import type { Verb } from "../verb.ts";

const listing = requestOptions("listDeadLetters", {
  queue: { value: "NAME" },
  limit: { value: "N" },
});

const listVerb: Verb = {
  name: "dead-letters list",
  operations: ["listDeadLetters"],
  operands: [],
  summary: "list messages that no service could use, latest first",
  options: { ...listing.options, ...own("all") },
  async run(invocation) {
    const how = await listing.read(invocation);
    const value: DeadLetter[] = [];
    let after: string | null = null;
    do {
      const page = await invocation.client().deadLetters.list({ ...how, after });
      value.push(...page.items);
      after = page.next;
    } while (after !== null && invocation.flag("all"));
    const more = after === null ? undefined : thereAreMore;
    const note = value.length === 0 ? "There is no dead letter." : more;
    const columns = ["id", "queue", "reason", "type", "sender", "size", "at", "replayable"];
    return { value, columns, note };
  },
};

const act = (what: "replay" | "discard", operation: OperationId): Verb => ({
  name: `dead-letters ${what}`,
  operations: [operation],
  operands: ["<id>"],
  summary: summaryOf(operation),
  options: actOptions,
  async run(invocation) {
    const attribution = await readAct(invocation);
    const [id = ""] = invocation.operands;
    await invocation.client().deadLetters[what](id, attribution);
    const done = what === "replay" ? "sent once more" : "discarded";
    return { value: { id, done }, text: `${id}: ${done}.` };
  },
});

/** Messages that no service could use. */
export const deadLetterVerbs: readonly Verb[] = [
  listVerb,
  readingVerb({
    name: "dead-letters get",
    operation: "getDeadLetter",
    show: (value: DeadLetter) => ({ value, text: JSON.stringify(value, null, 2) }),
  }),
  act("replay", "replayDeadLetter"),
  act("discard", "discardDeadLetter"),
  listingVerb({
    name: "dead-letters actions",
    operation: "listDeadLetterActions",
    columns: ["id", "queue", "action", "actor", "reason", "at"],
  }),
];
