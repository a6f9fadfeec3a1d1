import { calledInAll, openProfiler } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { openTrips } from "../test/trips.ts";

/** Submissions that are followed, after some that compile and open connections. */
const [followed, before] = [20, 5];
/**
 * Files that a submission may pass: some more than it does, as what runs in the background may be
 * among them.
 */
const most = 62;

test("a submission passes few files from its request to the answer that it is durable", async () => {
  await using trips = await openTrips();
  await trips.clear();
  using profiler = openProfiler();
  const passed: ReadonlySet<string>[] = [];
  for (let count = 0; count < before + followed; count += 1) {
    profiler.take();
    const { statusCode } = await trips.submit({}, { "idempotency-key": `k-${count}` });
    passed.push(profiler.take());
    expect(statusCode).toBe(202);
  }
  const files = calledInAll(passed.slice(before));
  const ours = files.filter((file) => file.startsWith("services/submission/"));
  process.stdout.write(`A submission passes ${files.length} files, ${ours.length} of submission\n`);
  expect(files).toContain("services/submission/src/submit-routes.ts");
  expect(files).toContain("packages/state-store/src/submit/submit-tasks.ts");
  // What is too much is named.
  expect(files.slice(most)).toEqual([]);
}, 180_000);
