// Writes as JSON how long the check of each hostile schema takes, as a multiple of what all steps
// of a pattern take. A program of its own: under Jest, modules that compare objects take a multiple
// of their time.
import { schemaCompiler } from "../src/definition/schema-compiler.ts";
import { hostileSchemas } from "./hostile-schemas.ts";

/**
 * The time of the processor that a check takes at best, in milliseconds. It is tried again while it
 * takes more than `enough`.
 */
function timeOf({ schema, value }: (typeof hostileSchemas)[string], enough = 0): number {
  const { check } = schemaCompiler({ allErrors: true })(schema);
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 || (tries < 16 && best > enough); tries += 1) {
    const before = process.cpuUsage();
    check(value);
    // Of a short time the kernel knows the sum, and guesses how much of it was the user's.
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

const allSteps = timeOf({ schema: { pattern: "b$" }, value: "a".repeat(500_000) });
const ratios = Object.entries(hostileSchemas).map(([name, one]) => [
  name,
  timeOf(one, 3 * allSteps) / allSteps,
]);
process.stdout.write(JSON.stringify(Object.fromEntries(ratios)));
