import { Type } from "typebox";
import { amount, text } from "./schema-parts.ts";

/** The progress of an attempt that is running. */
export const Progress = Type.Object(
  {
    percent: Type.Optional(amount("0 to 100, by the handler's own estimate.")),
    note: Type.Optional(text("For people.")),
  },
  { description: "What the handler last said of its work." },
);
