import type { Verdict } from "./simulate.ts";

/**
 * The story of a schedule as a person reads it. If the schedule broke a rule, what its Schedulers
 * saw last follows, each time with the whole state that it led to: what is seen, and the state, are
 * a row for a table test.
 */
export function storyText({ seed, story, violations, states }: Verdict): string {
  const told = `Schedule ${seed}, in simulated milliseconds:\n\n${story.join("\n")}\n`;
  if (violations.length === 0) return told;
  return `${told}\nWhat the Schedulers saw last, and their states after it:\n\n${states.join("\n")}\n`;
}
