import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { balanceOf } from "./balance.ts";
import type { Ledger } from "./ledger.ts";
import { type LedgerEntry, type Partner, partners } from "./ledger-entry.ts";

const Filter = Type.Object({
  /** The beginning of the idempotency keys: an order's id finds all that was done for it. */
  prefix: Type.String({ default: "" }),
  partner: Type.Optional(Type.Enum([...partners])),
});
type Filter = { readonly prefix: string; readonly partner?: Partner };

const Page = Type.Object({
  ...Filter.properties,
  after: Type.Integer({ minimum: 0, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
});
type Page = Filter & Pick<Static<typeof Page>, "after" | "limit">;

/** Shows what happened, for people and for the judges of tests. */
export function ledgerRoutes(app: FastifyInstance, ledger: Ledger): void {
  app.get<{ Querystring: Page }>("/ledger", { schema: { querystring: Page } }, ({ query }) => {
    const all = ledger.entries.filter((entry) => entry.seq > query.after && fits(query)(entry));
    const entries = all.slice(0, query.limit);
    return { entries, next: all.length > entries.length ? (entries.at(-1)?.seq ?? null) : null };
  });

  const schema = { querystring: Filter };
  app.get<{ Querystring: Filter }>("/ledger/balance", { schema }, ({ query }) =>
    balanceOf(ledger.entries.filter(fits(query))),
  );
}

const fits =
  ({ prefix, partner }: Filter) =>
  (entry: LedgerEntry): boolean =>
    entry.key.startsWith(prefix) && (partner === undefined || entry.partner === partner);
