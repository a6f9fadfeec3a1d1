import { operatorToken } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem } from "./faulty-system.ts";

const places = [
  ["processes of their own", "all"],
  ["one process", []],
] as const;

test.each(places)("services in %s fulfil orders, and undo what fails", async (_, apart) => {
  await using faulty = await startFaultySystem({ apart });
  const ids = await faulty.submit(["good", "declined", "unshippable", "good"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 2 }));
  const pids = new Set(faulty.system.processes.map(({ pid }) => pid));
  expect(pids.size).toBe(apart === "all" ? faulty.system.processes.length : 1);
});

test.each(places)("services in %s sign with names of their own", async (_, apart) => {
  await using faulty = await startFaultySystem({ apart, count: { scheduler: 2, agent: 2 } });
  const ids = await faulty.submit(["good", "good"]);
  await faulty.verdict(ids);
  const instances = new Set(faulty.log.map(({ instance }) => instance));
  expect(instances.size).toBe(faulty.system.processes.length);
  for (const { service, msg, instance } of faulty.log) {
    if (msg === "ready") expect(String(instance)).toMatch(new RegExp(`^${service}-`));
  }
});

test.each(places)(
  "operators reach services in %s, and pause and resume a task there",
  async (_, apart) => {
    await using faulty = await startFaultySystem({ apart, count: { agent: 0 } });
    const [id] = await faulty.submit(["good"]);
    const url = await faulty.operationsUrl();
    const act = async (verb: string): Promise<number> => {
      const { version } = (await (await fetch(`${url}/v1/tasks/${id}`)).json()) as {
        readonly version: number;
      };
      const response = await fetch(`${url}/v1/tasks/${id}/${verb}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${operatorToken}`,
          "if-match": `"${version}"`,
        },
        body: JSON.stringify({ actor: "ann", reason: "a test" }),
      });
      // No Agent runs, so requests come back, and the task may have changed since the operator
      // looked.
      return response.status === 412 ? act(verb) : response.status;
    };
    expect([await act("pause"), await act("resume")]).toEqual([200, 200]);
    await faulty.system.start("agent");
    expect(await faulty.verdict([id])).toEqual(allRight({ processed: 1, undone: 0 }));
  },
);

test.each(places)(
  "one of the services in %s stops alone and another one takes its work",
  async (_, apart) => {
    await using faulty = await startFaultySystem({ apart, count: { scheduler: 2 } });
    const [first] = faulty.system.running("scheduler");
    await first?.[Symbol.asyncDispose]();
    expect(faulty.system.running("scheduler")).toHaveLength(1);
    const ids = await faulty.submit(["good", "unshippable"]);
    expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 1 }));
  },
);
