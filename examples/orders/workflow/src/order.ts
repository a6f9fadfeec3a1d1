import { z } from "zod";

/**
 * An amount in minor units of the currency, such as cents. With these limits no sum leaves the safe
 * integers.
 */
const Amount = z.int().min(0).max(100_000_000);
/** Kept as it was sent: a customer who reads it back finds what they wrote. */
const text = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((value) => value.trim() !== "", "expected more than blanks");
const Text = text(200);
const Country = z.string().regex(/^[A-Z]{2}$/, "expected two capital letters, as in ISO 3166");
export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "expected three capital letters, as in ISO 4217");

export const Customer = z.object({ id: Text, name: Text, email: z.email().max(254) });

export const Address = z.object({
  name: Text,
  street: Text,
  city: Text,
  postalCode: text(20),
  country: Country,
});

export const OrderLine = z.object({
  sku: text(64),
  quantity: z.int().min(1).max(1_000),
  unitPrice: Amount,
});

const parts = {
  customer: Customer,
  shipTo: Address,
  lines: z.array(OrderLine).min(1).max(100),
  currency: Currency,
  /** A token of the payment provider; never the number of a card. */
  paymentMethod: Text,
  /** What the customer was shown; must be what the lines add up to. */
  total: z.int().min(0),
};

function mustAddUp(
  { lines, total }: { readonly lines: readonly OrderLine[]; readonly total: number },
  context: z.RefinementCtx,
): void {
  const sum = totalOf(lines);
  if (sum === total) return;
  const message = `total is ${total}, but the lines add up to ${sum}`;
  context.addIssue({ code: "custom", path: ["total"], message });
}

/** What a customer wants, from whom the money comes, and where the goods go. */
export const Order = z.object(parts).superRefine(mustAddUp);
export type Order = z.infer<typeof Order>;
export type OrderLine = z.infer<typeof OrderLine>;

/**
 * An order as it is submitted: a field that is not part of an order is refused, because the order
 * would be read back without it. The workflow is stored with `Order`, which must not change.
 */
export const SubmittedOrder = z
  .strictObject({
    ...parts,
    customer: Customer.strict(),
    shipTo: Address.strict(),
    lines: z.array(OrderLine.strict()).min(1).max(100),
  })
  .superRefine(mustAddUp);

/** What the lines add up to, in minor units. */
export const totalOf = (lines: readonly Pick<OrderLine, "quantity" | "unitPrice">[]): number =>
  lines.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0);
