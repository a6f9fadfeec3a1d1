import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runCommand } from "../../test/run-command.ts";

const before = globalThis.fetch;
const env = { HOLDFAST_URL: "http://holdfast.test", HOLDFAST_TOKEN: "token" };
let asked: (string | null)[] = [];

beforeEach(() => {
  asked = [];
  globalThis.fetch = async (url) => {
    asked.push(new URL(url instanceof Request ? url.url : url).searchParams.get("limit"));
    return new Response(JSON.stringify({ items: [], next: null }));
  };
});
afterEach(() => {
  globalThis.fetch = before;
});

/**
 * The verbs with a limit: of the items of a page, or of the tasks that are shown, which are read in
 * pages of 100.
 */
const verbs: readonly (readonly [verb: string, isOfPage: boolean])[] = [
  ["tasks list", false],
  ["bulk list", true],
  ["bulk items 7", true],
  ["dead-letters list", true],
];

test.each(verbs)(
  "%s takes every limit from 1 on, however many digits it has",
  async (verb, isOfPage) => {
    const sent = [];
    for (const limit of ["1", "501", "10000000", "2147483648", "9".repeat(400)]) {
      const { exitCode } = await runCommand([...verb.split(" "), "--limit", limit], env);
      expect([limit, exitCode]).toEqual([limit, 0]);
      sent.push(asked.at(-1));
    }
    const largest = String(Number.MAX_SAFE_INTEGER);
    const ofPages = ["1", "501", "10000000", "2147483648", largest];
    expect(sent).toEqual(isOfPage ? ofPages : ofPages.map(() => "100"));
  },
);

test.each(verbs)(
  "%s refuses a limit that is none in one sentence, and asks nothing",
  async (verb) => {
    for (const limit of ["0", "-1", "1.5", "1e3", "many", ""]) {
      const { exitCode, stderr } = await runCommand([...verb.split(" "), `--limit=${limit}`], env);
      expect([limit, exitCode]).toEqual([limit, 2]);
      expect(stderr).toMatch(/--limit .*must be a (whole )?number from 1/);
    }
    expect(asked).toEqual([]);
  },
);
