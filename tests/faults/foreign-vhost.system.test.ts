import { queryOnce } from "@holdfast/local-stack";
import { launchService, startService } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";

const services = ["scheduler", "submission", "supervisor"] as const;

test("services of another store end with exit code 78 and one sentence, until they take the virtual host over", async () => {
  await using broker = await testBroker();
  await using first = await migratedDatabase();
  await using second = await migratedDatabase();
  // The databases of tests are copies of one, and so the same store.
  await queryOnce(second.url, "update state.installation set id = gen_random_uuid()");
  const envOf = ({ url }: { readonly url: string }) => ({
    STATE_STORE_URL: url,
    BROKER_URL: broker.url,
    HTTP_HOST: "127.0.0.1",
    HTTP_PORT: "0",
  });
  await using running = await startService({ service: "scheduler", env: envOf(first) });
  for (const service of services) {
    const { process, ready } = launchService({ service, env: envOf(second) });
    await using ended = process;
    expect([service, await ended.exited]).toEqual([service, 78]);
    // The others are ready before they have a connection to the broker.
    if (service !== "scheduler") continue;
    await expect(ready).rejects.toThrow(
      /The configuration is wrong:\nBROKER_URL: the virtual host \S+ belongs to the Holdfast of another state store/,
    );
  }
  expect(running.isRunning).toBe(true);
  const takingOver = { ...envOf(second), BROKER_TAKE_OVER: "on" };
  await using _taker = await startService({ service: "scheduler", env: takingOver });
  await broker.closeAllConnections();
  expect(await running.exited).toBe(78);
});
