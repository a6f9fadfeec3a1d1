import { requestOptions } from "./request-options.ts";
import type { Invocation, OptionSpec } from "./verb.ts";

const request = requestOptions("cancelTask", { reason: { short: "r", value: "WORDS" } });

/** The options of what changes something: why. Who acts is an option of every verb. */
export const actOptions: Readonly<Record<string, OptionSpec>> = request.options;

/** Who wants something, and why. Throws a `UsageError` without a reason. */
export async function readAct(
  invocation: Invocation,
): Promise<{ readonly reason: string; readonly actor: string }> {
  const { reason = "" } = await request.read(invocation);
  return { reason, actor: invocation.actor };
}
