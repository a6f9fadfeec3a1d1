import { callManagement } from "@holdfast/local-stack";
import { serverAccess } from "@holdfast/runtime";
import { type Link, openLink, type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until } from "../../test/fixtures.ts";
import { connectBroker } from "../connect-broker.ts";
import { openConnection } from "./open-connection.ts";

let parts: AsyncDisposableStack;
let server: TestBroker;
let link: Link;
let lines: { readonly message: string; readonly reason?: string }[];
let url: string;

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  server = parts.use(await testBroker());
  link = parts.use(await openLink(server.url));
  lines = [];
  url = link.url;
});

afterEach(async () => {
  await parts.disposeAsync();
});

const say = (fields: object, message: string) => void lines.push({ ...fields, message });
const log = { info: say, warn: say, error: say };
const access = () => serverAccess({ name: "broker", read: () => url, log });
const linesOf = (message: string) => lines.filter((line) => line.message === message);

/** Calls the HTTP API as an operator does; the user of a test has the name of its virtual host. */
const call = (method: "PUT" | "DELETE", path: readonly string[], body?: object) =>
  callManagement(process.env["TEST_BROKER_MANAGEMENT_URL"] ?? "", method, path, body);
const user = () => new URL(server.url).username;
const setPassword = (password: string) =>
  call("PUT", ["users", user()], { password, tags: "administrator" });
const withPassword = (password: string) => Object.assign(new URL(link.url), { password }).href;

test("a password that was changed is refused in one line, and the new one is used as soon as it can be read", async () => {
  const broker = parts.use(
    await connectBroker({ url: access(), name: "test", topology: "passive", agents: [], log }),
  );
  await setPassword("second");
  await server.closeAllConnections();
  await until(() => linesOf("broker login refused").length > 0);
  expect(linesOf("broker login refused")).toEqual([
    expect.objectContaining({ reason: `login refused for user ${user()}` }),
  ]);
  url = withPassword("second");
  await until(() => broker.isReady);
  expect(lines.map(({ message }) => message)).toEqual([
    "broker connection lost",
    "broker login refused",
    "broker connection restored",
  ]);
});

test("a user without rights on the virtual host is refused in words, and comes in once it has them", async () => {
  const vhost = user();
  const known = access();
  await call("DELETE", ["permissions", vhost, user()]);
  const opening = openConnection({ server: known, name: "test" });
  await until(() => known.state.kind === "refused");
  expect(known.trouble()).toBe(`virtual host ${vhost} refused for user ${user()}`);
  await call("PUT", ["permissions", vhost, user()], { configure: ".*", write: ".*", read: ".*" });
  parts.use(await opening);
  expect(known.trouble()).toBeNull();
});

test("a file that names another user ends what has signed with the first one", async () => {
  const faults: string[] = [];
  const giveUp = ({ message }: Error) => void faults.push(message);
  const known = serverAccess({ name: "broker", read: () => url, log, giveUp });
  parts.use(await openConnection({ server: known, name: "test" }));
  const first = user();
  url = Object.assign(new URL(link.url), { username: "another" }).href;
  await server.closeAllConnections();
  await until(() => faults.length > 0);
  expect(faults[0]).toContain(`names the user another now, and not ${first}`);
});

test.each(["a listener that never answers", "a port on which nothing listens"])(
  "the wait for %s ends with its signal",
  async (place) => {
    if (place.startsWith("a listener")) link.hold(["toServer", "toClient"]);
    else link.takeDown();
    const stop = new AbortController();
    const reason = new Error("stopping");
    const known = access();
    const opening = connectBroker({
      url: known,
      name: "test",
      topology: "passive",
      agents: [],
      log,
      signal: stop.signal,
    });
    const ended = expect(opening).rejects.toBe(reason);
    await until(() => link.connections > 0 || known.state.kind === "away");
    const from = performance.now();
    stop.abort(reason);
    await ended;
    // The client itself waits for five seconds.
    expect(performance.now() - from).toBeLessThan(4_000);
  },
);
