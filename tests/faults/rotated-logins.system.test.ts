import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callManagement, freePort, queryOnce } from "@holdfast/local-stack";
import { asRole, type ServiceName } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  startFaultySystem,
  temporaryFolder,
  until,
} from "./faulty-system.ts";

const managementUrl = process.env["TEST_BROKER_MANAGEMENT_URL"] ?? "";

const withPassword = (url: string, password: string): string =>
  Object.assign(new URL(url), { password }).href;

const setBrokerPassword = (url: string, password: string) =>
  callManagement(managementUrl, "PUT", ["users", decodeURIComponent(new URL(url).username)], {
    password,
    tags: "",
  });

/** A URL in a file, as secrets are mounted. */
async function secretFile(folder: string, name: string, url: string) {
  const path = join(folder, name);
  const write = (text: string) => writeFile(path, `${text}\n`);
  await write(url);
  return { path, write };
}

/** A login of the Scheduler's own, dropped on disposal. */
async function storeLogin(faulty: FaultySystem) {
  const login = `rotated_${randomUUID().slice(0, 8)}`;
  const { STATE_STORE_URL: url = "" } = faulty.system.environmentOf("scheduler");
  const owner = url.split("?")[0]!;
  await faulty.query(`create role ${login} login password 'first'`);
  await faulty.query(`grant holdfast_scheduler to ${login}`);
  return {
    name: login,
    url: (password: string) =>
      asRole(
        Object.assign(new URL(owner), { username: login, password }).href,
        "holdfast_scheduler",
      ),
    setPassword: (password: string) => faulty.query(`alter role ${login} password '${password}'`),
    endSessions: () =>
      queryOnce(
        owner,
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${login}'`,
      ),
    async [Symbol.asyncDispose]() {
      await queryOnce(owner, `drop role ${login}`);
    },
  };
}

const linesOf = ({ log }: FaultySystem, service: ServiceName, msg: string) =>
  log.filter((line) => line.service === service && line.msg === msg);

/** How often a round of that service failed, by the name of the round, as its metrics say. */
async function failedRounds(port: number): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found = text.matchAll(/^holdfast_round_failures_total\{round="([^"]+)".*\} (\d+)$/gm);
  return new Map([...found].map(([, round = "", count]) => [round, Number(count)]));
}

test("passwords that are rotated under running services are read from their files, with a line for each change", async () => {
  await using folder = await temporaryFolder();
  await using faulty = await startFaultySystem({
    apart: ["scheduler", "agent"],
    count: { scheduler: 0, agent: 0 },
  });
  const { system, broker } = faulty;
  await using login = await storeLogin(faulty);
  const store = await secretFile(folder.path, "store", login.url("first"));
  const urls = { scheduler: "", agent: "" };
  const files = new Map<"scheduler" | "agent", Awaited<ReturnType<typeof secretFile>>>();
  for (const name of ["scheduler", "agent"] as const) {
    urls[name] = system.environmentOf(name)["BROKER_URL"]!;
    files.set(name, await secretFile(folder.path, name, urls[name]));
  }
  const port = await freePort(9_600);
  await using _scheduler = await system.start("scheduler", {
    BROKER_URL: "",
    BROKER_URL_FILE: files.get("scheduler")!.path,
    STATE_STORE_URL: "",
    STATE_STORE_URL_FILE: store.path,
    HEALTH_HOST: "127.0.0.1",
    HEALTH_PORT: String(port),
  });
  await using _agent = await system.start("agent", {
    BROKER_URL: "",
    BROKER_URL_FILE: files.get("agent")!.path,
  });
  expect(await faulty.verdict([await faulty.order("good", 0)])).toEqual(
    allRight({ processed: 1, undone: 0 }),
  );

  await login.setPassword("second");
  for (const name of ["scheduler", "agent"] as const) await setBrokerPassword(urls[name], "second");
  await Promise.all([login.endSessions(), broker?.closeAllConnections()]);
  await faulty.said("broker login refused", "scheduler");
  await faulty.said("broker login refused", "agent");
  await faulty.said("state store login refused", "scheduler");
  const failing = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`);
    return ((await answer.json()) as { readonly failing: readonly string[] }).failing;
  };
  const user = decodeURIComponent(new URL(urls.scheduler).username);
  await until(async () => (await failing()).length >= 2, 200);
  expect(await failing()).toEqual(
    expect.arrayContaining([
      `broker: login refused for user ${user}`,
      `state store: password authentication failed for user "${login.name}"`,
    ]),
  );
  await until(async () => ((await failedRounds(port)).get("resend") ?? 0) >= 6, 200);

  for (const name of ["scheduler", "agent"] as const) {
    await files.get(name)!.write(withPassword(urls[name], "second"));
  }
  await store.write(login.url("second"));
  const order = await faulty.order("good", 1);
  expect(await faulty.verdict([order])).toEqual(allRight({ processed: 1, undone: 0 }));

  for (const [service, server] of [
    ["scheduler", "broker"],
    ["agent", "broker"],
    ["scheduler", "state store"],
  ] as const) {
    for (const change of ["login refused", "connection restored"]) {
      expect(linesOf(faulty, service, `${server} ${change}`)).toHaveLength(1);
    }
  }
  for (const [round, failures] of await failedRounds(port)) {
    const lines = linesOf(faulty, "scheduler", "round failed").filter(
      (line) => line["round"] === round,
    );
    expect(lines.length).toBeLessThanOrEqual(2 * (Math.log2(failures) + 1));
  }
});

test("a service or an Agent whose login stays refused ends with exit code 77 and a line that says so", async () => {
  await using faulty = await startFaultySystem({
    apart: ["scheduler", "agent", "supervisor"],
    count: { scheduler: 0, agent: 0, supervisor: 0 },
  });
  const { system } = faulty;
  const timeout = { LOGIN_TIMEOUT: "1s" };
  const ended = (["scheduler", "agent", "supervisor"] as const).map(async (name) => {
    const environment = system.environmentOf(name);
    const wrong =
      name === "supervisor"
        ? { STATE_STORE_URL: withPassword(environment["STATE_STORE_URL"]!, "wrong") }
        : { BROKER_URL: withPassword(environment["BROKER_URL"]!, "wrong") };
    const { process: launched } = system.launch(name, { ...timeout, ...wrong });
    return [name, await launched.exited];
  });
  expect(await Promise.all(ended)).toEqual([
    ["scheduler", 77],
    ["agent", 77],
    ["supervisor", 77],
  ]);
  expect(linesOf(faulty, "agent", "login refused for too long")).toEqual([
    expect.objectContaining({ level: 60 }),
  ]);
});
