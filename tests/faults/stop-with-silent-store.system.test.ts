import { setTimeout as sleep } from "node:timers/promises";
import { launchService } from "@holdfast/processes";
import {
  type Link,
  migratedDatabase,
  moduleAt,
  openLink,
  testBroker,
} from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";

type Service = "scheduler" | "supervisor" | "submission";

interface Launched {
  readonly exited: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
}

/** Launches a service whose way to the store is this link, and resolves once it works. */
async function launch(service: Service, link: Link, brokerUrl: string) {
  const { process: launched, ready } = launchService({
    service,
    env: {
      STATE_STORE_URL: link.url,
      BROKER_URL: brokerUrl,
      AGENT_MODULES: moduleAt("examples/orders/handlers", "index"),
      OPERATOR_TOKEN: "operator-token-of-this-test",
      HTTP_HOST: "127.0.0.1",
      HTTP_PORT: "0",
      SHUTDOWN_GRACE: "30s",
    },
  });
  return { launched, url: String((await ready)["url"]) };
}

/** Resolves to the exit code, and how long the process took from its signal on. */
async function stop(launched: Launched): Promise<{ code: number | null; ms: number }> {
  const from = performance.now();
  launched.signal("SIGTERM");
  return { code: await launched.exited, ms: performance.now() - from };
}

test.each<Service>(["scheduler", "supervisor", "submission"])(
  "a %s that works with a store which answers nothing any more ends within seconds of SIGTERM, with 0",
  async (service) => {
    await using database = await migratedDatabase();
    await using broker = await testBroker();
    await using link = await openLink(database.url);
    const { launched, url } = await launch(service, link, broker.url);
    await using _launched = launched;
    link.hold(["toClient"]);
    const asked = service === "submission" ? submit(url) : Promise.resolve(503);
    // Each has begun a round by then that waits for its answer.
    await sleep(1_500);
    const { code, ms } = await stop(launched);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(6_000);
    expect(await asked).toBe(503);
  },
);

test("a service that is asked to stop waits for a store that answers late, and its caller has the answer", async () => {
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  await using link = await openLink(database.url);
  const { launched, url } = await launch("submission", link, broker.url);
  await using _launched = launched;
  link.slow({ latencyMs: 400, jitterMs: 0 });
  const asked = submit(url);
  await sleep(200);
  const { code } = await stop(launched);
  expect(code).toBe(0);
  expect(await asked).toBe(404);
});

/** Submits a task of no workflow, and resolves to the status of the answer. */
async function submit(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workflow: "none", input: {} }),
  });
  await answer.arrayBuffer();
  return answer.status;
}
