import { loweredMark } from "@holdfast/contracts";
import { Type } from "typebox";
import { invalidRequest } from "../problem.ts";

/** How many items a page of a list has. */
interface PageSize {
  readonly usual: number;
  readonly most: number;
}

/** Fields that say which page of a list is asked for, in a query or a body. */
export const pageFields = (
  { usual, most }: PageSize,
  after: { readonly maxLength: number; readonly pattern?: string } = { maxLength: 1_000 },
) => ({
  limit: Type.Optional(
    Type.Integer({
      // No maximum: what is above that of the list is lowered, and not refused.
      $comment: loweredMark,
      minimum: 1,
      description: `Items of a page: ${usual} unless it is set, and at most ${most}. What is above that is lowered to it.`,
    }),
  ),
  after: Type.Optional(Type.String({ ...after, description: "The `next` of the page before." })),
});

/**
 * Reads the limit of a page in a query, which is text, as the number that its schema asks for. It
 * is lowered to the largest safe integer, which is above the maximum of every list. Any other text
 * stays as it is.
 */
export const readLimit = (text: unknown): unknown =>
  typeof text === "string" && /^[0-9]+$/.test(text)
    ? Math.min(Number(text), Number.MAX_SAFE_INTEGER)
    : text;

/** The number of items on the page that is asked for. */
export const sizeOf = (limit: number | undefined, { usual, most }: PageSize): number =>
  Math.min(limit ?? usual, most);

/**
 * The cursor for the end of a page. It is opaque to clients, so that it may be made otherwise one
 * day.
 */
export const cursorOf = (last: string | null): string | null =>
  last === null ? null : Buffer.from(last).toString("base64url");

/**
 * Reads a cursor; null: the first page is asked for. Throws a 422 for what no page names as its
 * next.
 */
export function readCursor(
  after: string | undefined,
  isPlace: (text: string) => boolean,
): string | null {
  if (after === undefined) return null;
  const place = Buffer.from(after, "base64url").toString();
  if (isPlace(place)) return place;
  throw invalidRequest([
    { pointer: "/after", detail: "must be what the page before named as its next" },
  ]);
}

/** The cursor after these items; null: they are fewer than were asked for, and so the last. */
export const nextAfter = <Item>(
  items: readonly Item[],
  most: number,
  placeOf: (item: Item) => string,
): string | null => {
  const last = items.at(-1);
  return items.length < most || last === undefined ? null : cursorOf(placeOf(last));
};
