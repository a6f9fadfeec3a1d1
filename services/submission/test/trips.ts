import { callsOf } from "@holdfast/domain";
import { queryOnce } from "@holdfast/local-stack";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import type { FastifyInstance } from "fastify";
import { bookTrip } from "./bookings.ts";
import { serve } from "./serve.ts";

type Answer = Awaited<ReturnType<FastifyInstance["inject"]>>;
type Headers = Readonly<Record<string, string>>;

export const token = "the-operators-token";
export const authorization = `Bearer ${token}`;
export const asOperator = { actor: "ann", reason: "a newer one is better" };
export const input = { guest: "Ada", nights: 2 };

/** The one step of a trip but for its name, its Agent and its input. */
export const [step] = callsOf(bookTrip);

/** A workflow of one step as JSON. */
export const trip = (name: string, changes: object = {}) => ({
  format: 1,
  name,
  inputSchema: {
    type: "object",
    properties: { guest: { type: "string", maxLength: 20 }, nights: { type: "integer" } },
    required: ["guest", "nights"],
  },
  steps: [{ ...step, name: "book", agent: "hotels", input: { $ref: "/input" }, after: [] }],
  completeWithin: null,
  output: null,
  ...changes,
});

/** All routes with an operator's token, for tests. */
export interface TripService extends AsyncDisposable {
  readonly url: string;
  readonly store: StateStore;
  /**
   * Begins a test: three versions of a trip are stored, of which the last is active, and one of a
   * booking, and no tasks.
   */
  clear(): Promise<void>;
  get(path: string, headers?: Headers): Promise<Answer>;
  post(path: string, payload: object, headers?: Headers): Promise<Answer>;
  put(name: string, payload: object, headers?: Headers): Promise<Answer>;
  /** What an operator asks for otherwise. */
  request(
    method: "PUT" | "DELETE",
    path: string,
    payload?: object,
    headers?: Headers,
  ): Promise<Answer>;
  /** What an operator asks for. */
  ask(path: string): Promise<Answer>;
  submit(body?: object, headers?: Headers): Promise<Answer>;
}

export async function openTrips(): Promise<TripService> {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await migratedDatabase());
  const options = { url, applicationName: "test", maxConnections: 4 };
  const store = opened.use(await openStateStore(options));
  const app = opened.use(serve(store, { token }));
  const post: TripService["post"] = (path, payload, headers = {}) =>
    app.inject({ method: "POST", url: path, headers, payload });
  const put: TripService["put"] = (name, payload, headers = { authorization }) =>
    app.inject({ method: "PUT", url: `/v1/workflows/${name}`, headers, payload });
  const parts = opened.move();
  return {
    url,
    store,
    post,
    put,
    async clear() {
      await queryOnce(
        url,
        "truncate state.workflows, state.collections, state.known_agents, state.tasks, state.steps, state.submissions, state.business_keys",
      );
      for (const name of ["trip.v1", "trip.v2", "trip.v10"]) {
        await put(name, trip(name, { collection: "trips" }));
        await store.activateWorkflow({ name, ...asOperator, asAwaited: false });
      }
      await store.registerWorkflow(bookTrip);
    },
    request: (method, path, payload, headers = { authorization }) =>
      app.inject({ method, url: path, headers, ...(payload === undefined ? {} : { payload }) }),
    get: (path, headers = { authorization }) => app.inject({ url: path, headers }),
    ask: (path) => post(path, asOperator, { authorization }),
    submit: (body = {}, headers = {}) =>
      post("/v1/tasks", { workflow: "trip", input, ...body }, headers),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The id of the task that was submitted. */
export const idOf = (response: Answer): string => response.json<{ id: string }>().id;
