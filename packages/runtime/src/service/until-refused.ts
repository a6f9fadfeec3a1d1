import { SetupFault } from "@holdfast/domain";

/**
 * Runs until the signal aborts, or a server refuses the login for too long. Then throws the fault of that, once what
 * ran has stopped, or after the grace.
 */
export async function untilRefused(
  { signal, grace }: { readonly signal: AbortSignal; readonly grace: number },
  run: (ends: AbortSignal, giveUp: (fault: SetupFault) => void) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  const giveUp = (fault: SetupFault): void => {
    if (ending.signal.aborted) return;
    ending.abort(fault);
    setTimeout(() => reject(fault), grace).unref();
  };
  try {
    await Promise.race([run(ending.signal, giveUp), overdue]);
  } catch (err) {
    throw refusalOf(ending.signal) ?? err;
  }
  const refusal = refusalOf(ending.signal);
  if (refusal !== null) throw refusal;
}

const refusalOf = ({ reason }: AbortSignal): SetupFault | null =>
  reason instanceof SetupFault ? reason : null;
