import { bands } from "@holdfast/domain";
import type { StepFacts } from "@holdfast/state-store";

/** Which band and key a due step has, who is ahead, and how many. */
export function turnOf(step: StepFacts): string {
  const { band, dueBefore } = step;
  const ahead = dueBefore.reduce((sum, steps) => sum + steps, 0);
  return `It is in the band ${nameOf(band)}${ownKey(step)}: ${ahead} ${ahead === 1 ? "is" : "are"} due before it${byBand(dueBefore)}${byKey(step)}.`;
}

const nameOf = (band: number): string => bands[band] ?? String(band);

const ownKey = ({ fairnessKey, fairnessWeight }: StepFacts): string =>
  fairnessKey === null
    ? ""
    : ` with the fairness key ${JSON.stringify(fairnessKey)} of weight ${fairnessWeight ?? 1}`;

/** "(undo 1, normal 20)". */
function byBand(dueBefore: readonly number[]): string {
  const counts = dueBefore.flatMap((steps, band) =>
    steps === 0 ? [] : [`${nameOf(band)} ${steps}`],
  );
  return counts.length === 0 ? "" : ` (${counts.join(", ")})`;
}

/** The keys of steps before it, in its own band. */
function byKey({ keysBefore }: StepFacts): string {
  const counts = keysBefore.map(({ key, steps }) => `${JSON.stringify(key)} ${steps}`);
  return counts.length === 0 ? "" : `, most in its band of the keys ${counts.join(", ")}`;
}
