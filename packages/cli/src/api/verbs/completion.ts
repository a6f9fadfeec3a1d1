import { completionScript, shells } from "../completion.ts";
import { UsageError } from "../usage-error.ts";
import type { Verb } from "../verb.ts";

/** Prints what a shell needs to complete the verbs that it is given. */
export const completionVerb = (verbs: () => readonly Verb[]): Verb => ({
  name: "completion",
  operations: [],
  operands: [`<${shells.join("|")}>`],
  summary: "print the completion of a shell: source it, or write it where the shell looks",
  options: {},
  async run({ operands: [asked = ""] }) {
    const shell = shells.find((one) => one === asked);
    if (shell === undefined)
      throw new UsageError(`There is no completion for ${asked}, but for ${shells.join(", ")}`);
    const script = completionScript(shell, verbs());
    return { value: { shell, script }, text: script.trimEnd() };
  },
});
