import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { launchService } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";

const token = "operator-token-of-this-test";
const listening = { HTTP_HOST: "127.0.0.1", HTTP_PORT: "0" };

interface Servers {
  readonly database: { readonly url: string };
  readonly broker: { readonly url: string };
}

const submissionEnv = ({ database, broker }: Servers) => ({
  ...listening,
  STATE_STORE_URL: database.url,
  BROKER_URL: broker.url,
  OPERATOR_TOKEN: token,
});

/** Launches a service, and resolves once it is ready. */
async function launch(service: "submission" | "console", env: Readonly<Record<string, string>>) {
  const stopping = Promise.withResolvers<void>();
  const { process: launched, ready } = launchService({
    service,
    env,
    onLog({ msg }) {
      if (msg === "stopping") stopping.resolve();
    },
  });
  const url = String((await ready)["url"]);
  return { launched, url, isStopping: stopping.promise };
}

/** A client that keeps its connection for as long as the service does. */
async function talkTo(url: string, lines: readonly string[]) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  let text = "";
  socket.on("error", () => {});
  socket.on("data", (piece: Buffer) => {
    text += piece.toString();
    socket.emit("heard");
  });
  const closed = once(socket, "close").then(() => text);
  await once(socket, "connect");
  socket.write(lines.join("\r\n"));
  return {
    closed,
    say: (more: string) => void socket.write(more),
    async heard(part: string) {
      while (!text.includes(part)) await once(socket, "heard");
    },
  };
}

const authorized = ["host: 127.0.0.1", `authorization: Bearer ${token}`];
const end = ["", ""];

/** Connections in each state in which the end of their service may find them. */
async function connectAll(url: string) {
  const body = JSON.stringify({ workflow: "none.v1", input: {} });
  const head = [
    ...authorized,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "expect: 100-continue",
  ];
  const silent = await talkTo(url, []);
  const halved = await talkTo(url, ["GET /nothing HTTP/1.1", "host:"]);
  const idle = await talkTo(url, ["GET /nothing HTTP/1.1", ...authorized, ...end]);
  await idle.heard("HTTP/1.1 404");
  const stream = await talkTo(url, ["GET /v1/events HTTP/1.1", ...authorized, ...end]);
  await stream.heard("retry:");
  const busy = await talkTo(url, ["POST /v1/tasks HTTP/1.1", ...head, ...end]);
  // Its head has arrived: the service waits for the body.
  await busy.heard("100 Continue");
  busy.say(body.slice(0, 5));
  return {
    finish: () => busy.say(body.slice(5)),
    answered: busy.closed,
    others: [silent, halved, idle, stream].map(({ closed }) => closed),
  };
}

test("a service that is asked to stop answers what it began, and waits for no client that keeps its connection", async () => {
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  const api = await launch("submission", submissionEnv({ database, broker }));
  await using _api = api.launched;
  const page = await launch("console", { ...listening, API_URL: api.url });
  await using _page = page.launched;
  for (const { launched, url, isStopping } of [page, api]) {
    const clients = await connectAll(url);
    launched.signal("SIGTERM");
    await isStopping;
    clients.finish();
    const answer = await clients.answered;
    expect(answer).toMatch(/HTTP\/1\.1 4\d\d [^]*"code":"/);
    expect(answer.toLowerCase()).toContain("connection: close");
    await Promise.all(clients.others);
    // 1 when the grace is over.
    expect(await launched.exited).toBe(0);
  }
});

/** Milliseconds after it was ready, within which a process is asked to stop. */
const soon = 1_500;

test("services that are asked to stop at any instant, with requests under way, end in time", async () => {
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  const stop = async (): Promise<number | null> => {
    const { launched, url } = await launch("submission", submissionEnv({ database, broker }));
    await using _launched = launched;
    const over = new AbortController();
    // So many that some are always under way.
    const asking = Array.from({ length: 16 }, async () => {
      while (!over.signal.aborted) {
        const headers = { authorization: `Bearer ${token}` };
        await fetch(`${url}/v1/tasks?limit=1`, { headers }).then((answer) => answer.text());
      }
    });
    await sleep(Math.random() * soon);
    launched.signal("SIGTERM");
    // As a load balancer does: from now on it asks others.
    over.abort();
    await Promise.allSettled(asking);
    return await launched.exited;
  };
  const ends = await Promise.all(Array.from({ length: 4 }, stop));
  expect(ends).toEqual([0, 0, 0, 0]);
});
