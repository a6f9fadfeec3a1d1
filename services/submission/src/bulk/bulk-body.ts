import { limits, Payload } from "@holdfast/contracts";
import { bulkActions, bulkOutcomes } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { actFields, storableName } from "../act-body.ts";
import { examples } from "../api/examples.ts";
import { pageFields } from "../api/pages.ts";
import { PatchField } from "../operators/patch-body.ts";
import { SearchFilter } from "../search/search-body.ts";

const closed = { additionalProperties: false };

/** Tasks a second, unless it is said. */
export const usualRate = 10;

/** The body that creates a bulk operation, or with `dryRun` asks what it would do. */
export const BulkBody = Type.Object(
  {
    ...actFields,
    filter: SearchFilter,
    action: Type.Enum([...bulkActions], { description: "What is done to each task." }),
    step: Type.Optional(
      Type.String({
        ...storableName,
        description: "Which step of each task, if several can be meant.",
      }),
    ),
    output: Type.Optional(
      Type.Unsafe<Static<typeof Payload>>({
        ...Payload,
        description: "Of resolve: what the step of each task returned.",
      }),
    ),
    patch: PatchField,
    dryRun: Type.Optional(Type.Boolean({ description: "Only says what would be done." })),
    canary: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: "So many tasks first; the others only if all of these succeed.",
      }),
    ),
    rate: Type.Optional(
      Type.Number({
        minimum: 0.01,
        maximum: 1_000,
        description: `Tasks a second; ${usualRate} unless it is said.`,
      }),
    ),
  },
  { ...closed, description: "What to do, and to which tasks.", examples: [examples.newBulk] },
);
export type BulkBody = Static<typeof BulkBody>;

export const BulkParams = Type.Object({
  id: Type.String({ maxLength: limits.name, description: "The number of the operation." }),
});

/** Items of a page of bulk operations, and of the tasks of one. */
export const bulkPages = { usual: 20, most: 100 };

export const BulkListQuery = Type.Object(pageFields(bulkPages), closed);
export const BulkItemsQuery = Type.Object(
  {
    outcome: Type.Optional(
      Type.Enum([...bulkOutcomes], { description: "Only tasks of which this became." }),
    ),
    ...pageFields(bulkPages),
  },
  closed,
);
