import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askBroker } from "@holdfast/local-stack";
import { type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { openTestStore, type TestStore } from "../../test/fixtures.ts";
import { runCommand } from "../../test/run-command.ts";

let store: TestStore;
let broker: TestBroker;
let folder: string;
let management: string;

beforeAll(async () => {
  store = await openTestStore();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});
beforeEach(async () => {
  broker = await testBroker();
  folder = await mkdtemp(join(tmpdir(), "holdfast-topology-"));
  const { username, password } = new URL(broker.url);
  const server = process.env["TEST_BROKER_MANAGEMENT_URL"] ?? "";
  management = Object.assign(new URL(server), { username, password }).href;
});
afterEach(async () => {
  // Its virtual host knows only the users of its own imports.
  for (const user of ["scheduler", "payments", "shop"])
    await manage("DELETE", `users/${nameOf(user)}`);
  await broker[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const vhost = () => decodeURIComponent(new URL(broker.url).pathname.slice(1));
/** Users belong to the whole broker. */
const nameOf = (user: string) => `${vhost()}.${user}`;

async function manage(
  method: "PUT" | "POST" | "DELETE",
  path: string,
  body?: object,
): Promise<void> {
  const url = new URL(`/api/${path}`, management);
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString("base64")}`;
  url.username = url.password = "";
  const headers = { authorization, "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok && response.status !== 404) throw new Error(await response.text());
}

const listed = () => ({
  [nameOf("scheduler")]: "scheduler",
  [nameOf("shop")]: "application",
  [nameOf("payments")]: { role: "agent", agents: ["payments"] },
});

interface Found {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `holdfast topology` on this broker, with a password for each user. */
async function topology(args: readonly string[], users: object = listed()): Promise<Found> {
  const file = join(folder, "users.yaml");
  const passwords = join(folder, "passwords.json");
  await writeFile(file, JSON.stringify(users));
  const names = Object.keys(users).map((user) => [user, `secret of ${user}`]);
  await writeFile(passwords, JSON.stringify(Object.fromEntries(names)));
  const place = ["--users", file, "--vhost", vhost(), "--management-url", management];
  return runCommand(["topology", ...args, "--passwords", passwords, ...place], {});
}

test("apply makes an empty broker as the list says, and check agrees", async () => {
  const before = await topology(["check"]);
  expect(before.exitCode).toBe(1);
  expect(before.stdout).toContain("+ queue agent.payments\n");
  expect(before.stdout).toMatch(/\d+ to add\.\n$/);
  const rehearsal = await topology(["apply", "--dry-run"]);
  expect(rehearsal.stdout).toContain("Nothing was changed");
  expect((await topology(["check"])).stdout).toBe(before.stdout);

  const applied = await topology(["apply"]);
  expect(applied.stdout).toContain("Done: the broker is as it should be.");
  expect(applied.exitCode).toBe(0);
  expect(await topology(["check"])).toEqual({
    exitCode: 0,
    stdout: "The broker is as it should be.\n",
    stderr: "",
  });
});

test("a user that apply made may do what its role says, and no more", async () => {
  await topology(["apply"]);
  const username = nameOf("payments");
  const url = Object.assign(new URL(broker.url), {
    username,
    password: `secret of ${username}`,
  }).href;
  const connection = await connect(url);
  const channel = await connection.createConfirmChannel();
  channel.publish("holdfast.replies", "reply.payments.x", Buffer.from("{}"));
  await channel.waitForConfirms();
  const refused = new Promise((resolve) => channel.once("error", resolve));
  channel.publish("holdfast.replies", "reply.inventory.x", Buffer.from("{}"));
  expect(await refused).toMatchObject({ code: 403 });
  await connection.close();
});

test("check names a user with another password than the given one, and apply sets it", async () => {
  await topology(["apply"]);
  const user = nameOf("payments");
  await manage("PUT", `users/${user}`, { password: "stolen and changed", tags: "" });
  expect((await topology(["check"])).stdout).toBe(
    `~ user ${user}: it has another password\n1 to change.\n`,
  );
  await topology(["apply"]);
  expect((await topology(["check"])).exitCode).toBe(0);
});

test("a password with which another virtual host is used is changed with --yes only", async () => {
  await topology(["apply"]);
  const [user, other] = [nameOf("payments"), `${vhost()}.other`];
  await manage("PUT", `vhosts/${other}`, {});
  try {
    await manage("PUT", `permissions/${other}/${user}`, { configure: "", write: "", read: "" });
    expect((await topology(["apply"])).exitCode).toBe(0);
    await manage("PUT", `users/${user}`, { password: "of the other one", tags: "" });
    const refused = await topology(["apply"]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stdout).toContain(
      `~ user ${user}: it has another password; with which ${other} is used, too`,
    );
    expect(refused.stdout).toContain("Nothing was changed: 1 user would get another password");
    expect((await topology(["check"])).exitCode).toBe(1);
    expect((await topology(["apply", "--yes"])).exitCode).toBe(0);
    expect((await topology(["check"])).exitCode).toBe(0);
  } finally {
    await manage("DELETE", `vhosts/${other}`);
  }
});

test("a new Agent is one line in the list", async () => {
  await topology(["apply"]);
  const longer = { ...listed(), [nameOf("shop")]: "application", hotels: "agent" };
  const found = await topology(["check"], longer);
  const lines = found.stdout.split("\n").filter((line) => line.startsWith("+"));
  expect(lines).toEqual([
    "+ user hotels",
    "+ permission hotels",
    "+ topic permission hotels on holdfast.replies",
    "+ topic permission hotels on holdfast.heartbeats",
    "+ queue agent.hotels",
    "+ binding holdfast.requests to agent.hotels by hotels",
  ]);
  expect(found.stdout).toContain(`~ permission ${nameOf("scheduler")}: configure is`);
});

test("check names what was broken by hand, and apply repairs it", async () => {
  await topology(["apply"]);
  const [of, scheduler] = [vhost(), nameOf("scheduler")];
  await askBroker(broker.url, async (channel) => {
    await channel.unbindQueue("scheduler.replies.3", "holdfast.replies", "reply-3.#");
    await channel.deleteQueue("requests.expired");
  });
  await manage("PUT", `permissions/${of}/${scheduler}`, { configure: ".*", write: "", read: "" });
  const { stdout, exitCode } = await topology(["check"]);
  expect(exitCode).toBe(1);
  expect(stdout.split("\n").slice(0, -1)).toEqual([
    "+ queue requests.expired",
    "+ binding holdfast.replies to scheduler.replies.3 by reply-3.#",
    expect.stringMatching(`~ permission ${scheduler}: configure is .* and should be`),
    "2 to add, 1 to change.",
  ]);
  expect((await topology(["apply"])).exitCode).toBe(0);
  expect((await topology(["check"])).exitCode).toBe(0);
});

test("what should not be there is removed with --yes only, and a queue with messages not even then", async () => {
  await topology(["apply"], {
    ...listed(),
    [nameOf("old")]: { role: "agent", agents: ["old", "full"] },
  });
  await askBroker(broker.url, async (channel) => {
    channel.sendToQueue("agent.full", Buffer.from("{}"));
    await channel.waitForConfirms();
  });
  const timid = await topology(["apply"]);
  expect(timid.exitCode).toBe(0);
  expect(timid.stdout).toContain("to remove were left: say --yes to remove them, too.");
  const bold = await topology(["apply", "--yes"]);
  expect(bold.stdout).toContain("queue agent.full stays:");
  expect(bold.exitCode).toBe(1);
  const { stdout } = await topology(["check"]);
  expect(stdout).toBe("- queue agent.full: no user and no workflow has this Agent\n1 to remove.\n");
  await manage("DELETE", `users/${nameOf("old")}`);
});

test("a queue that is declared otherwise is a conflict, which apply leaves and names", async () => {
  await askBroker(broker.url, (channel) =>
    channel.assertQueue("agent.payments", { durable: true }),
  );
  const { exitCode, stdout } = await topology(["apply"]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain("! queue agent.payments: x-");
  expect(stdout).toContain("1 conflict: stop what uses them");
});

test("rights of a user without a password are a conflict, and all other users are made", async () => {
  const file = join(folder, "users.yaml");
  await writeFile(file, JSON.stringify(listed()));
  const place = ["--users", file, "--vhost", vhost(), "--management-url", management];
  const { exitCode, stdout } = await runCommand(["topology", "apply", ...place], {});
  expect(exitCode).toBe(1);
  expect(stdout).toContain(
    `! user ${nameOf("shop")}: it does not exist, and no password was given`,
  );
  expect(stdout).toContain("+ queue agent.payments");
  expect((await topology(["apply"])).exitCode).toBe(0);
});

test("an Agent that a stored workflow calls gets a queue, and check says that no user serves it", async () => {
  const { stdout, exitCode } = await topology(["check", "--state-store-url", store.url]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain("+ queue agent.inventory\n");
  expect(stdout).toContain(
    "! shopping.v1 calls the Agent inventory, and no user serves it: add the line inventory: agent",
  );
});

test("without the HTTP API, check sees queues and exchanges over AMQP", async () => {
  const file = join(folder, "users.yaml");
  await writeFile(file, JSON.stringify(listed()));
  const check = () =>
    runCommand(["topology", "check", "--users", file, "--broker-url", broker.url], {});
  expect((await check()).stdout).toContain("+ exchange holdfast.requests\n");
  await topology(["apply"]);
  expect(await check()).toMatchObject({ exitCode: 0 });
});

test("print writes what RabbitMQ imports, with the passwords as hashes only", async () => {
  const { stdout } = await topology(["print"]);
  const definitions = JSON.parse(stdout) as { users: object[]; queues: object[] };
  expect(definitions.users).toHaveLength(3);
  expect(stdout).not.toContain("secret of");
  await manage("POST", "definitions", definitions);
  expect((await topology(["check"])).exitCode).toBe(0);
});

test("a server that does not answer has exit code 69, and one that refuses the user 5", async () => {
  const file = join(folder, "users.yaml");
  await writeFile(file, JSON.stringify(listed()));
  const check = (url: string) =>
    runCommand(["topology", "check", "--users", file, "--management-url", url], {});
  expect(await check("http://a:b@127.0.0.1:1")).toMatchObject({
    exitCode: 69,
    stderr: expect.stringContaining("127.0.0.1:1 does not answer"),
  });
  const wrong = Object.assign(new URL(management), { password: "wrong" }).href;
  expect(await check(wrong)).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining("refuses the user"),
  });
});
