import { freePort } from "@holdfast/local-stack";
import { documentedMetrics, parseExposition } from "@holdfast/observability";
import { startService } from "@holdfast/processes";
import { expect, test } from "@jest/globals";

test("the console is ready and exposes documented metrics while the API that it asks is away", async () => {
  const nothing = await freePort(23_000 + (process.pid % 1_000));
  const health = await freePort(nothing + 1);
  await using service = await startService({
    service: "console",
    env: {
      API_URL: `http://127.0.0.1:${nothing}`,
      HTTP_HOST: "127.0.0.1",
      HTTP_PORT: "0",
      HEALTH_HOST: "127.0.0.1",
      HEALTH_PORT: String(health),
    },
  });
  const probe = `http://127.0.0.1:${health}`;
  const ready = await fetch(`${probe}/health/ready`);
  expect([ready.status, await ready.json()]).toEqual([200, { ready: true, failing: [] }]);

  const exposed = parseExposition(await (await fetch(`${probe}/metrics`)).text());
  const documented = documentedMetrics();
  expect([...exposed.keys()].filter((name) => !documented.has(name))).toEqual([]);
  expect(exposed.get("holdfast_build_info")?.samples[0]).toContain('service_name="console"');

  const url = String(service.ready["url"]);
  expect((await fetch(`${url}/console/`)).status).toBe(200);
  const refused = await fetch(`${url}/v1/tasks`);
  expect([refused.status, await refused.json()]).toMatchObject([
    502,
    { code: "console.api_unreachable" },
  ]);
});
