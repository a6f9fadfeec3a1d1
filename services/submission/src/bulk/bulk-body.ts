import { limits, Payload } from "@holdfast/contracts";
import { bulkActions, bulkOutcomes } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { SearchFilter } from "../search/search-body.ts";
import { storableName, Wish } from "../wishes.ts";

const closed = { additionalProperties: false };

/** The body that creates a bulk operation, or with `dryRun` asks what it would do. */
export const BulkBody = Type.Object(
  {
    ...Wish,
    filter: SearchFilter,
    action: Type.Enum([...bulkActions]),
    /** May be left out when only one step of each task can be meant. */
    step: Type.Optional(Type.String(storableName)),
    /** What the resolved step of each task returned. */
    output: Type.Optional(Payload),
    dryRun: Type.Optional(Type.Boolean()),
    /** So many tasks first: the others only if all of these succeed. */
    canary: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
    /** Tasks a second. */
    rate: Type.Optional(Type.Number({ minimum: 0.01, maximum: 1_000 })),
  },
  closed,
);
export type BulkBody = Static<typeof BulkBody>;

/** Tasks a second, unless it is said. */
export const usualRate = 10;

export const BulkParams = Type.Object({ id: Type.String({ maxLength: limits.name }) });

const Limit = Type.Optional(Type.String({ maxLength: 3, pattern: "^([1-9][0-9]?|100)$" }));
const Cursor = Type.Optional(Type.String({ maxLength: 100 }));

export const BulkListQuery = Type.Object({ limit: Limit, cursor: Cursor }, closed);
export const BulkItemsQuery = Type.Object(
  { outcome: Type.Optional(Type.Enum([...bulkOutcomes])), limit: Limit, cursor: Cursor },
  closed,
);
