import { callOperation } from "./call-operation.ts";
import { type OperationId, operationOf, summaryOf } from "./operation.ts";
import { own } from "./own-options.ts";
import type { Invocation, Outcome, Verb } from "./verb.ts";
import { wishOf, wishOptions } from "./wish.ts";

interface Listing {
  readonly name: string;
  readonly operation: OperationId;
  /** Of its table; all fields of the first item unless they are named. */
  readonly columns?: readonly string[];
}

/** A verb that shows all items of what an operation answers. */
export const listingVerb = ({ name, operation, columns }: Listing): Verb => ({
  name,
  operations: [operation],
  operands: [],
  summary: summaryOf(operation),
  options: {},
  async run({ client }) {
    const body = await callOperation(client(), operation, {});
    const { items } = body as { readonly items: readonly object[] };
    return { value: items, ...(columns === undefined ? {} : { columns }) };
  },
});

interface Change {
  /** Such as `agents pause`: the last word is what is done. */
  readonly name: string;
  readonly operation: OperationId;
  /** What it asks besides, for `--dry-run`. */
  readonly looksAt: OperationId;
  /** What would be changed, with `--dry-run`. */
  readonly preview: (invocation: Invocation, name: string) => Promise<Outcome>;
}

/** A verb that changes what has a name, such as an Agent. */
export const changeVerb = ({ name, operation, looksAt, preview }: Change): Verb => ({
  name,
  operations: [operation, looksAt],
  operands: ["<name>"],
  summary: summaryOf(operation),
  options: { ...wishOptions, ...own("dry-run") },
  async run(invocation) {
    const wish = await wishOf(invocation);
    const [target = ""] = invocation.operands;
    if (invocation.flag("dry-run")) return preview(invocation, target);
    const { method, path } = operationOf(operation);
    await invocation.client().request({
      method,
      path: path.replace("{name}", encodeURIComponent(target)),
      body: wish,
    });
    const done = name.split(" ").at(-1) ?? name;
    return { value: { name: target, done }, text: `${target}: ${done} done.` };
  },
});
