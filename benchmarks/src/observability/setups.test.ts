import { expect, test } from "@jest/globals";
import { environmentsOf, inOrder, observedSetups } from "./setups.ts";

const places = { port: 9_000, sinkUrl: "http://127.0.0.1:1" };
const environmentsFor = (name: string) =>
  environmentsOf(observedSetups.find((one) => one.name === name) ?? observedSetups[0]!, places);

test("each setup is first in one round of four", () => {
  const first = [0, 1, 2, 3].map((round) => inOrder(round)[0]?.name);
  expect(new Set(first).size).toBe(4);
  for (const round of [0, 1, 2, 3]) expect(new Set(inOrder(round)).size).toBe(4);
});

test("services without metrics and traces get no further variable", () => {
  expect(environmentsFor("none")).toEqual({ submission: {}, scheduler: {}, agent: {} });
});

test("each service has a port of its own for metrics, and all send their traces to one place", () => {
  const { submission, scheduler, agent } = environmentsFor("tenth");
  const ports = [submission, scheduler, agent].map((env) => env["HEALTH_PORT"]);
  expect(new Set(ports).size).toBe(3);
  expect(agent).toMatchObject({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_TRACES_SAMPLER_ARG: "0.1",
  });
  expect(environmentsFor("metrics").scheduler).not.toHaveProperty("OTEL_EXPORTER_OTLP_ENDPOINT");
});
