import type { Breaker } from "@holdfast/state-store";
import { type Finding, orFine, wrong } from "./finding.ts";

/** Remote services whose steps are held back. One that an operator holds open is an operator's wish. */
export function checkBreakers(breakers: readonly Breaker[]): readonly Finding[] {
  const open = breakers.filter(({ state }) => state !== "closed");
  const failing = open
    .filter(({ held }) => !held)
    .map(({ service, state, reason }) =>
      wrong(
        "remotes.breaker_open",
        `the breaker of the remote service ${service} is ${state}, so its steps wait: ${reason}`,
        "repair the remote service: one step at a time tries it, and the others follow when that is answered",
      ),
    );
  const held = open.filter((breaker) => breaker.held);
  const text =
    held.length === 0
      ? "no breaker of a remote service is open"
      : `operators hold open: ${held.map(({ service, reason }) => `${service} (${reason})`).join("; ")}`;
  return orFine(failing, "remotes.breakers", text);
}
