import { expect, test } from "@jest/globals";
import { isRolloutSeed } from "./faults.ts";
import { mutants } from "./mutants.ts";
import { simulate } from "./simulate.ts";
import { storyText } from "./story-text.ts";

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

test("a schedule that breaks a rule prints the whole state of its Schedulers at the last steps before", async () => {
  const mutation = mutants["each attempt has a key of its own"]!;
  const options = { telling: true, showing: true };
  let broken = await simulate(1, { ...options, mutation });
  for (let seed = 2; broken.violations.length === 0 && seed < 1_000; seed += 1) {
    broken = await simulate(seed, { ...options, mutation });
  }
  expect(broken.violations).not.toEqual([]);
  const text = storyText(broken);
  const states = [...text.matchAll(/ {2}state (?<state>\{.*\})$/gm)].map(({ groups }) =>
    JSON.parse(groups?.["state"] ?? ""),
  );
  expect(states.length).toBeGreaterThan(10);
  expect(states.at(-1)).toMatchObject({
    admission: { maxInFlight: expect.any(Number), agents: expect.any(Object) },
    remotes: { areKnown: expect.any(Boolean) },
    requests: { open: expect.any(Object) },
  });
  // No state is larger than what a person can read, and no payload is in it.
  expect(text).not.toContain("taskInput");

  // A schedule that keeps all rules prints none, and showing them changes nothing.
  const sound = await simulate(1, options);
  expect(storyText(sound)).not.toContain("saw last");
  expect(sound.story).toEqual((await simulate(1, { telling: true })).story);
});
