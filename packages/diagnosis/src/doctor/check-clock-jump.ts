import { durationText } from "@holdfast/domain";
import type { ClockFacts } from "@holdfast/state-store";
import { type Finding, fine, wrong } from "./finding.ts";

/** Milliseconds. NTP may set a clock back by less. */
const tolerated = 1_000;
/** Milliseconds. Supervisors trust a clock that is ahead of their last look by less. */
const trusted = 26 * 3_600_000;

const code = "store.clock_jumped";
const when = (instant: number): string => new Date(instant).toISOString();

/**
 * Whether the clock of Postgres, by which everything is decided, has jumped. `advance`: by how many
 * milliseconds `holdfast dev` has advanced it; what is deleted by age does not go by that.
 */
export function checkClockJump(facts: ClockFacts, advance = 0): Finding {
  const { now, latest, trustedAt, aheadSince } = facts;
  const lead = now - advance - trustedAt;
  if (latest - now > tolerated) {
    return wrong(
      code,
      `the clock of Postgres was set back by ${durationText(latest - now)} or more: the store holds times up to ${when(latest)}`,
      "set the clock of its host right by NTP: limits and delays from before the jump last longer by as much",
    );
  }
  if (aheadSince === null && lead <= trusted) {
    return fine(code, "the clock of Postgres has not jumped");
  }
  const cause =
    aheadSince === null
      ? "it has jumped, or no Supervisor has run since"
      : `seen at ${when(aheadSince)}; nothing is deleted by age for a day`;
  return wrong(
    code,
    `the clock of Postgres is ${durationText(lead)} ahead of the last time that a Supervisor trusted: ${cause}`,
    "set the clock of its host right by NTP; if it is right: update state.trusted_clock set at = now()",
  );
}
