import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { holdfastClient, ProblemError, RequestError } from "@holdfast/client";
import { submissionQueue } from "@holdfast/contracts";
import { Fault, type Json } from "@holdfast/domain";
import { queryOnce } from "@holdfast/local-stack";
import { connectBroker } from "@holdfast/messaging";
import { submitTasks, type TransactionClient } from "@holdfast/state-store";
import { holdfastCommand, testBroker } from "@holdfast/test-servers";
import { takeEnqueued } from "../src/take-enqueued.ts";
import { takeTasks } from "../src/take-tasks.ts";
import { workflowDirectory } from "../src/workflow-directory.ts";
import { openApplication, takeAllIn } from "./application.ts";
import { type Commanded, openCommanded } from "./command.ts";
import { token, trip } from "./trips.ts";
import { until } from "./until.ts";

/** What a way in made of an input: its task, or the places that are wrong, from the input. */
export type Taken = { readonly id: string } | { readonly pointers: readonly string[] };

/** A way in for an input, as text or as a value of a program. */
type Door = (input: string) => Promise<Taken>;

export interface Doors extends AsyncDisposable {
  /** Ways in that read the text itself. */
  readonly texts: Readonly<Record<string, Door>>;
  /** Postgres reads the text before Holdfast does. */
  readonly sql: Door;
  /** Ways in for values of a program. */
  readonly values: Readonly<Record<string, (input: unknown) => Promise<Taken>>>;
  /** The command, which is a process each time. */
  readonly command: Door;
  /** The input of a task as the API answers it, as text. */
  inputOf(id: string): Promise<string>;
  /** The result of a task that has ended, which is its input, as text. */
  resultOf(id: string): Promise<string>;
}

const workflow = "any";

/** Opens each way in of one service, for a workflow that takes whatever is JSON. */
export async function openDoors(): Promise<Doors> {
  await using opened = new AsyncDisposableStack();
  const commanded = opened.use(await openCommanded());
  const { trips, url } = commanded;
  const definition = { inputSchema: {}, output: { $ref: "/input" }, collection: "anys" };
  const stored = await trips.put("any.v1", trip("any.v1", definition));
  if (stored.statusCode !== 201) throw new Error(stored.body);
  const application = await openApplication(trips.url, "values");
  const message = opened.use(await openMessages(commanded));
  const tool = opened.use(openTools(url));
  const enqueued = enqueuedIn(commanded);
  const parts = opened.move();
  return {
    texts: {
      body: async (input) =>
        answered(await post(`${url}/v1/tasks`, `{"workflow":"${workflow}","input":${input}}`)),
      collection: async (input) => answered(await post(`${url}/v1/anys`, input)),
      message: (input) => message.send(input),
      tool: (input) => tool.send(input),
    },
    async sql(input) {
      const { rows } = await application.query(
        "select task_id as id from state.submit_task($1, $2::jsonb)",
        [workflow, input],
      );
      return enqueued((rows[0] as { readonly id: string }).id);
    },
    values: { client: clientOf(url), transaction: transactionOf(application, enqueued) },
    async command(input) {
      const line = ["tasks", "submit", workflow, "-i", "-", "-o", "id"];
      const { code, out, err } = await commanded.holdfast(line, { stdin: input });
      return code === 0 ? { id: out.trim() } : { pointers: pointersIn(err) };
    },
    inputOf: (id) => partOf(url, id, "input"),
    async resultOf(id) {
      await queryOnce(
        trips.url,
        `set session_replication_role = replica;
         update state.tasks set process_state = 'processed', finished_at = now() where task_id = '${id}';
         reset session_replication_role`,
      );
      return partOf(url, id, "result");
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

type Enqueued = (id: string) => Promise<Taken>;

/** What became of a submission that waited in the inbox. */
function enqueuedIn({ trips }: Commanded): Enqueued {
  const look = takeEnqueued({
    store: trips.store,
    directory: workflowDirectory(trips.store),
    hint: () => {},
    log: { warn: () => {}, error: () => {} },
    failpoint: () => {},
    actor: "test",
  });
  return async (id) => {
    await takeAllIn(trips.url, look);
    const [refusal] = await queryOnce<{ errors: readonly { pointer: string }[] }>(
      trips.url,
      `select errors from state.refusals where task_id = '${id}'`,
    );
    return refusal === undefined
      ? { id }
      : { pointers: refusal.errors.map(({ pointer }) => pointer) };
  };
}

function clientOf(url: string) {
  const client = holdfastClient({ url, token });
  return async (input: unknown): Promise<Taken> => {
    try {
      return { id: (await client.submit(workflow, input)).id };
    } catch (error) {
      if (error instanceof RequestError && error.pointer !== null)
        return { pointers: [inputIn(error.pointer)] };
      if (!(error instanceof ProblemError)) throw error;
      return { pointers: error.errors.map(({ pointer }) => pointer) };
    }
  };
}

const transactionOf =
  (application: TransactionClient, enqueued: Enqueued) =>
  async (input: unknown): Promise<Taken> => {
    try {
      const [submitted] = await submitTasks(application, [{ workflow, input: input as Json }]);
      return await enqueued(submitted?.taskId ?? "");
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { pointers: [String(error.details["pointer"])] };
    }
  };

const inputIn = (pointer: string): string => pointer.replace(/^\/input/, "");

const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
const post = (url: string, body: string) => fetch(url, { method: "POST", headers, body });

async function answered(response: Response): Promise<Taken> {
  const json = (await response.json()) as {
    readonly id?: string;
    readonly errors?: readonly { readonly pointer: string }[];
  };
  if (json.id !== undefined) return { id: json.id };
  if (response.status >= 500) throw new Error(JSON.stringify(json));
  return { pointers: (json.errors ?? []).map(({ pointer }) => pointer) };
}

/** The text of a field of a task, which no parser has read. */
async function partOf(url: string, id: string, field: string): Promise<string> {
  const response = await fetch(`${url}/v1/tasks/${id}`, { headers });
  const text = await response.text();
  const all = JSON.parse(text) as Readonly<Record<string, unknown>>;
  // Its own words, where the answer has them: numbers are what is compared.
  const written = JSON.stringify(all[field]);
  if (!text.includes(`"${field}":${written}`)) throw new Error(`${field} is not in ${text}`);
  return written;
}

const pointersIn = (words: string): readonly string[] =>
  [...words.matchAll(/(?:^|[\s"])(\/[^\s"]*) has /g)].map(([, pointer = ""]) => inputIn(pointer));

async function openMessages({ trips }: Commanded) {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await testBroker());
  const log = { warn: () => {}, error: () => {} };
  const how = { name: "test", topology: "declare", agents: [], log } as const;
  const broker = opened.use(await connectBroker({ url: server.url, ...how }));
  const refused = new Map<string, readonly string[]>();
  const handled = new Set<string>();
  const take = messageTaker(trips.store, refused);
  opened.use(
    await broker.consumeBatches(submissionQueue, { prefetch: 10, max: 10 }, async (batch) => {
      await take(batch);
      for (const { messageId = "" } of batch) handled.add(messageId);
    }),
  );
  let count = 0;
  const parts = opened.move();
  return {
    async send(input: string): Promise<Taken> {
      count += 1;
      const messageId = `value-${count}`;
      const body = Buffer.from(input);
      await broker.publish({
        exchange: "",
        routingKey: submissionQueue,
        type: "any",
        messageId,
        correlationId: "c",
        body,
        headers: {},
      });
      await until(async () => handled.has(messageId));
      const pointers = refused.get(messageId);
      if (pointers !== undefined) return { pointers };
      const [found] = await queryOnce<{ id: string }>(
        trips.url,
        `select task_id as id from state.submissions where idempotency_key = '${messageId}'`,
      );
      return { id: found?.id ?? "" };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Takes messages, and notes the places for which it refuses some. */
const messageTaker = (
  store: Commanded["trips"]["store"],
  refused: Map<string, readonly string[]>,
) =>
  takeTasks({
    store,
    directory: workflowDirectory(store),
    workflow,
    hint: () => {},
    log: {
      warn: (fields: unknown) => {
        const { messageId, pointers } = fields as {
          readonly messageId: string;
          readonly pointers: readonly string[];
        };
        refused.set(messageId, pointers);
      },
    },
    failpoint: () => {},
    actor: "test",
    keepKeysFor: 3_600_000,
    ownsStatusQueue: () => true,
  });

/** `holdfast mcp` as a process that is sent lines. */
function openTools(url: string) {
  const child = spawn(process.execPath, [...holdfastCommand, "mcp", "--allow-writes"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      HOLDFAST_URL: url,
      HOLDFAST_TOKEN: token,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (line: string) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id } = JSON.parse(line) as { readonly id?: number };
    waiting.get(id ?? -1)?.(line);
  });
  let count = 0;
  const ask = async (method: string, params: string): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    count += 1;
    waiting.set(count, resolve);
    child.stdin.write(`{"jsonrpc":"2.0","id":${count},"method":"${method}","params":${params}}\n`);
    return promise;
  };
  const ready = ask(
    "initialize",
    '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}',
  ).then(() => child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n'));
  return {
    async send(input: string): Promise<Taken> {
      await ready;
      const key = `tool-${count}`;
      const given = `{"workflow":"${workflow}","input":${input},"idempotencyKey":"${key}"}`;
      const line = await ask("tools/call", `{"name":"submit_task","arguments":${given}}`);
      const { result } = JSON.parse(line) as {
        readonly result: { readonly content: readonly { readonly text: string }[] };
      };
      const text = result.content[0]?.text ?? "";
      // What the arguments of a tool may not be is said in words.
      if (!text.startsWith("{")) return { pointers: pointersIn(text) };
      const { id, message = "" } = JSON.parse(text) as {
        readonly id?: string;
        readonly message?: string;
      };
      return id === undefined ? { pointers: pointersIn(` ${message}`) } : { id };
    },
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      child.once("close", () => resolve());
      child.stdin.end();
      await promise;
    },
  };
}
