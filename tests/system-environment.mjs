import { TestEnvironment } from "jest-environment-node";

/**
 * Lets systems under test say what was near when a test fails. A system puts a function into
 * `holdfastWitnesses` of the global object, which returns its report.
 */
export default class SystemEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.holdfastWitnesses = new Set();
  }

  /** @param {{ readonly name: string, readonly test?: { readonly name: string } }} event */
  handleTestEvent(event) {
    if (event.name !== "test_fn_failure" && event.name !== "hook_failure") return;
    const title = event.test?.name ?? "a hook";
    for (const report of this.global.holdfastWitnesses) {
      process.stderr.write(`\nWhat was near when "${title}" failed:\n${report()}\n`);
    }
  }
}
