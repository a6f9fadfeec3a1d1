import { limits } from "@holdfast/contracts";
import { printablePattern, readablePattern } from "@holdfast/domain";
import { Type } from "typebox";

export const storableName = {
  minLength: 1,
  maxLength: limits.name,
  pattern: printablePattern,
};
const words = { minLength: 1, maxLength: 1_000, pattern: readablePattern };

/** Who wants something, and why: both are kept. */
export const actFields = {
  actor: Type.String({ ...storableName, description: "Who acts: kept in the history." }),
  reason: Type.String({ ...words, description: "Why: kept in the history." }),
};
export const ActBody = Type.Object(actFields, { additionalProperties: false });
export const NameParams = Type.Object({
  name: Type.String({ ...storableName, description: "Its name." }),
});
