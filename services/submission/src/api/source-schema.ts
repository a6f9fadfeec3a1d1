import { sourceWords } from "@holdfast/domain";
import { Type } from "typebox";

const words = Object.entries(sourceWords).map(([source, said]) => `\`${source}\`: ${said}`);

/** Who said that something failed, or that a task is to be undone. */
export const SourceSchema = Type.Enum(Object.keys(sourceWords), {
  description: `Who said what was counted as a failure, or why an undo began. ${words.join("; ")}. Null: no failure is counted and no undo begun by it.`,
});
