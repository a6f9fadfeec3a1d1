import { limits } from "@holdfast/contracts";
import { Type } from "typebox";

/** A name without control characters and halves of characters; a text without NUL and such halves. */
export const storableName = {
  minLength: 1,
  maxLength: limits.name,
  pattern: "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
};
const words = { minLength: 1, maxLength: 1_000, pattern: "^[^\\u0000\\ud800-\\udfff]*$" };

/** Who wants something, and why: both are kept. */
export const Wish = {
  actor: Type.String({ ...storableName, description: "Who acts: kept in the history." }),
  reason: Type.String({ ...words, description: "Why: kept in the history." }),
};
export const WishBody = Type.Object(Wish, { additionalProperties: false });
export const NameParams = Type.Object({
  name: Type.String({ ...storableName, description: "Its name." }),
});
