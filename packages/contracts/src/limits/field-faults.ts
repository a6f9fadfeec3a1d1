import type { FieldFault } from "../definition/check-input.ts";

/** Says in a sentence what is wrong with a request: the first fault, and how many more there are. */
export function faultSentence(faults: readonly FieldFault[], whole = "request"): string {
  const [first, ...more] = faults;
  if (first === undefined) return `The ${whole} is not valid.`;
  const place = first.pointer === "" ? `The ${whole}` : first.pointer;
  const others = more.length === 1 ? "1 more fault" : `${more.length} more faults`;
  const rest = more.length === 0 ? "" : `; errors has ${others}`;
  return `${place} ${first.detail.replace(/\.$/, "")}${rest}.`;
}
