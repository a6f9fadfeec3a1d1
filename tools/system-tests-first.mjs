import Sequencer from "@jest/test-sequencer";

/**
 * System tests start services and take longest: a run that began with others would end with one
 * busy worker. Jest's own order, the largest file first where it has no times of an earlier run, is
 * kept among equals.
 */
export default class SystemTestsFirst extends Sequencer {
  /** @param {readonly { readonly path: string }[]} tests */
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- Not of an array: a method of the sequencer.
    const inOrder = super.sort(tests);
    return inOrder.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ path }) {
  // The longest two, on a processor each.
  if (/\/tests\/(outside|simulation\/src\/main)\b/.test(path)) return 0;
  return path.includes(".system.") ? 1 : 2;
}
