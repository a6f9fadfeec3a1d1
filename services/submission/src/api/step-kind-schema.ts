import { type StepKind, stepKinds } from "@holdfast/domain";
import { Type } from "typebox";

const meanings = Object.entries(stepKinds).map(([kind, { meaning }]) => `\`${kind}\`: ${meaning}.`);

/** The kind of a step, as answers have it. */
export const stepKind = Type.Enum(Object.keys(stepKinds) as StepKind[], {
  description: meanings.join(" "),
});
