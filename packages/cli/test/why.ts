import { expect } from "@jest/globals";
import { openTestBroker, readQueues } from "./broker.ts";
import { openTestStore, type TestStore } from "./fixtures.ts";
import { runCommand } from "./run-command.ts";

const agents = ["inventory", "payments"];

/** A store and a broker with services that listen, for tests, and the answers of `holdfast why`. */
export interface AskedSystem extends AsyncDisposable {
  readonly store: TestStore;
  /** Makes the services listen to these queues only, or to all again. */
  listenTo(queues?: readonly string[]): Promise<void>;
  why(taskId: string): Promise<string>;
}

export async function openAskedSystem(): Promise<AskedSystem> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openTestStore());
  const operated = opened.use(await openTestBroker(agents));
  let services: AsyncDisposable = await operated.listen();
  opened.defer(() => services[Symbol.asyncDispose]());
  await operated.heard(readQueues(agents));
  const owned = opened.move();
  return {
    store,
    async listenTo(queues = readQueues(agents)) {
      await services[Symbol.asyncDispose]();
      services = await operated.listen(queues);
      await operated.heard(queues);
    },
    async why(taskId) {
      const env = { STATE_STORE_URL: store.url, BROKER_URL: operated.broker.url };
      const { stdout, stderr, exitCode } = await runCommand(["why", taskId, "--direct"], env);
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      return stdout;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
