import { expect, test } from "@jest/globals";
import { isRolloutSeed } from "./faults.ts";
import { mutants } from "./mutants.ts";
import { simulate } from "./simulate.ts";

const inOrder = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const seeds = [...inOrder(40), ...inOrder(1_000).filter(isRolloutSeed)];

test("a seed determines a schedule: its story is the same each time", async () => {
  for (const seed of seeds) {
    const [once, again] = [
      await simulate(seed, { telling: true }),
      await simulate(seed, { telling: true }),
    ];
    expect(again.story.join("\n")).toBe(once.story.join("\n"));
    expect(once.story.length).toBeGreaterThan(5);
  }
});

test("recording its story does not change a schedule", async () => {
  for (const seed of seeds) {
    const { story: _told, ...told } = await simulate(seed, { telling: true });
    const { story, ...unsent } = await simulate(seed);
    expect(unsent).toEqual(told);
    expect(story).toEqual([]);
  }
});

test("schedules at the same time do not disturb one another", async () => {
  const alone = [];
  for (const seed of seeds) alone.push(await simulate(seed, { telling: true }));
  const together = await Promise.all(seeds.map((seed) => simulate(seed, { telling: true })));
  expect(together).toEqual(alone);
});

test("the story of a schedule that breaks a rule says which", async () => {
  const mutation = mutants["each attempt has a key of its own"]!;
  const verdicts = [];
  for (const seed of seeds) verdicts.push(await simulate(seed, { mutation, telling: true }));
  const broken = verdicts.filter(({ violations }) => violations.length > 0);
  expect(broken.length).toBeGreaterThan(0);
  for (const { story, violations } of broken) {
    expect(story.join("\n")).toContain(`VIOLATION: ${violations[0]?.rule}`);
  }
});
