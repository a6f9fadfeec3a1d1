import { expect, test } from "@jest/globals";
import { cronWords } from "./cron-words.ts";

test.each([
  ["30 2 * * *", "each day at 02:30"],
  ["0 9,17 * * *", "each day at 09:00 and 17:00"],
  ["0 9 * * 1-5", "Monday to Friday at 09:00"],
  ["0 9 * * MON,wed,5", "each Monday, Wednesday and Friday at 09:00"],
  ["0 9 * * 7", "each Sunday at 09:00"],
  ["0 9 * * 5-7", "Friday to Sunday at 09:00"],
  ["0 0 1 * *", "on day 1 of each month at 00:00"],
  ["0 0 15,1 1,7 *", "on day 1 and 15 of January and July at 00:00"],
  ["0 6 * 12 *", "each day in December at 06:00"],
  ["0 6 * jun-aug 0", "each Sunday in June to August at 06:00"],
  ["* * * * *", "every minute"],
  ["*/15 * * * 1-5", "every 15 minutes, Monday to Friday"],
  ["0 * * * *", "each hour"],
  ["5 */6 * * *", "every 6 hours, at minute 5"],
])("%s comes %s", (cron, words) => {
  expect(cronWords(cron)).toBe(words);
});

test.each([
  "*/7 * * * *",
  "*/15 9 * * *",
  "0,30 9 * * *",
  "0 9-17 * * *",
  "0 0 1 * 1",
  "0 0 L * *",
  "0 0 * * 1#2",
  "0 0 * * 8",
  "0 0 * 13 *",
  "60 1 * * *",
  "0 24 * * *",
  "0 0 1-7 * *",
  "0 0 * *",
  "",
  "__proto__",
])("%j is left as it is", (cron) => {
  expect(cronWords(cron)).toBeNull();
});
