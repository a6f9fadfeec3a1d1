import { expect, test } from "@jest/globals";
import { allVerbs } from "./all-verbs.ts";
import { globalOptions } from "./global-options.ts";

test("no verb has an option that an option of all verbs would hide", () => {
  const hidden = allVerbs.flatMap(({ name, options }) =>
    Object.keys(options)
      .filter((option) => Object.hasOwn(globalOptions, option))
      .map((option) => `${name} --${option}`),
  );
  expect(hidden).toEqual([]);
});
