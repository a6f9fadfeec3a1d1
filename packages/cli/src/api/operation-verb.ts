import { ContractFault, meantName } from "@holdfast/domain";
import { actOptions, readAct } from "./act-options.ts";
import { callOperation } from "./call-operation.ts";
import {
  type FieldOf,
  type OperationId,
  operationOf,
  type RequestOf,
  summaryOf,
} from "./operation.ts";
import { own } from "./own-options.ts";
import type { RequestOptions } from "./request-options.ts";
import type { Invocation, Outcome, Verb } from "./verb.ts";

interface Reading<Id extends OperationId> {
  readonly name: string;
  readonly operation: Id;
  /** Its options; without them it has none. */
  readonly request?: RequestOptions<Id, FieldOf<Id>>;
  /** What is printed of the body of the answer. */
  readonly show: (body: never) => Outcome;
}

/** A verb that shows what an operation answers. The parts of its path are the operands. */
export function readingVerb<Id extends OperationId>(reading: Reading<Id>): Verb {
  const { name, operation, request, show } = reading;
  const places = placesOf(operation);
  return {
    name,
    operations: [operation],
    operands: places.map((place) => `<${place}>`),
    summary: summaryOf(operation),
    options: request?.options ?? {},
    async run(invocation) {
      const named = places.map((place, at) => [place, invocation.operands[at]] as const);
      const asked = { ...Object.fromEntries(named), ...(await request?.read(invocation)) };
      const body = await callOperation(invocation.client(), operation, asked as RequestOf<Id>);
      return show(body as never);
    },
  };
}

/** The parts of the path of an operation that a request names. */
const placesOf = (operation: OperationId): readonly string[] =>
  Object.entries(operationOf(operation).fields)
    .filter(([, field]) => field.in === "path")
    .map(([place]) => place);

interface Listing {
  readonly name: string;
  readonly operation: OperationId;
  readonly columns: readonly string[];
}

/** A verb that shows all items of a list, page by page. */
export const listingVerb = ({ name, operation, columns }: Listing): Verb => ({
  name,
  operations: [operation],
  operands: [],
  summary: summaryOf(operation),
  options: {},
  async run(invocation) {
    const client = invocation.client();
    const value: object[] = [];
    let asked = {};
    for (;;) {
      const { items, next } = (await callOperation(client, operation, asked)) as Page;
      value.push(...items);
      if (next === null) return { value, columns };
      asked = { after: next };
    }
  },
});

interface Page {
  readonly items: readonly object[];
  readonly next: string | null;
}

interface Picking extends Listing {
  /** The code with which a name is refused that no item has. */
  readonly unknown: "agent.unknown" | "breaker.unknown";
}

/** A verb that shows the item of one name among all that an operation answers. */
export const pickingVerb = ({ name, operation, columns, unknown }: Picking): Verb => ({
  name,
  operations: [operation],
  operands: ["<name>"],
  summary: `show one of those that ${name.replace(/ get$/, " list")} shows`,
  options: {},
  async run({ operands: [wanted = ""], client }) {
    const answer = await callOperation(client(), operation, {});
    const { items } = answer as { readonly items: readonly { readonly name: string }[] };
    const value = items.find((item) => item.name === wanted);
    if (value !== undefined) return { value, columns };
    const meant = meantName(
      wanted,
      items.map((item) => item.name),
    );
    const hint = meant === null ? "" : `: did you mean ${meant}?`;
    throw new ContractFault(unknown, `There is no ${wanted}${hint}`);
  },
});

interface Change {
  /** The name of the verb, such as `agents pause`: its last word is what is done. */
  readonly name: string;
  readonly operation: OperationId;
  /** What it asks besides, for `--dry-run`. */
  readonly looksAt: readonly OperationId[];
  /**
   * What would be changed, with `--dry-run`. It ends with the exit code with which the change
   * would.
   */
  readonly preview: (invocation: Invocation, name: string) => Promise<Outcome>;
}

/** A verb that changes what has a name, such as an Agent. */
export const changeVerb = ({ name, operation, looksAt, preview }: Change): Verb => ({
  name,
  operations: [operation, ...looksAt],
  operands: placesOf(operation).map((place) => `<${place}>`),
  summary: summaryOf(operation),
  options: { ...actOptions, ...own("dry-run") },
  async run(invocation) {
    const attribution = await readAct(invocation);
    const [target = ""] = invocation.operands;
    if (invocation.flag("dry-run")) return preview(invocation, target);
    const { method, path } = operationOf(operation);
    await invocation.client().request({
      method,
      path: path.replace(/\{\w+\}/, encodeURIComponent(target)),
      body: attribution,
    });
    const done = name.split(" ").at(-1) ?? name;
    return { value: { name: target, done }, text: `${target}: ${done} done.` };
  },
});
