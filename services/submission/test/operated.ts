import { type AttemptOfTask, openStateStore, type StateStore } from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import type { FastifyInstance } from "fastify";
import { bookTrip, sampleBooking } from "./bookings.ts";
import { serve } from "./serve.ts";

export const token = "the-operators-token";
export const asOperator = { actor: "ann", reason: "the guest called" };
/** How that asOperator is kept. */
export const recorded = { ...asOperator, actor: "operator:ann" };

/** Stops where an operator is needed: each of its steps halts when it fails. */
export const halting = {
  ...bookTrip,
  name: "halting.v1",
  steps: bookTrip.steps.map((step) => ({ ...step, onFailure: "halt" as const })),
};

/** A booking as the API shows it. */
export interface Shown {
  readonly id: string;
  readonly version: number;
  readonly state: string;
  readonly paused: object | null;
  readonly steps: readonly { readonly name: string; readonly processState: string }[];
}

type Answer = Awaited<ReturnType<FastifyInstance["inject"]>>;
type Claims = Awaited<ReturnType<StateStore["claimDueSteps"]>>;
type App = ReturnType<typeof serve>;

/** All routes with an operator's token, and bookings that operators act on, for tests. */
export interface OperatedService extends AsyncDisposable {
  readonly url: string;
  readonly store: StateStore;
  /**
   * A store without the faults of a run that injects them: a claim whose answer is lost is not made
   * again.
   */
  readonly scheduler: StateStore;
  readonly app: App;
  /** How often Schedulers got a hint in this test. */
  readonly hints: number;
  /** The attempts that Agents got a cancel hint for in this test. */
  readonly cancelled: readonly AttemptOfTask[];
  /** Begins a test: there were no hints. */
  forgetHints(): void;
  openApp(operatorToken: string | null): App;
  submit(): Promise<Shown>;
  show(id: string): Promise<Shown>;
  act(path: string, payload: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  onBooking(booking: Shown, what: string, payload?: object): Promise<Answer>;
  claim(): Promise<Claims>;
}

async function openStores() {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await migratedDatabase());
  const options = { url, applicationName: "test", maxConnections: 8 };
  const store = opened.use(await openStateStore(options));
  const faults = process.env["HOLDFAST_STORE_FAULTS"] ?? "";
  process.env["HOLDFAST_STORE_FAULTS"] = "";
  const scheduler = opened.use(await openStateStore(options));
  process.env["HOLDFAST_STORE_FAULTS"] = faults;
  await store.registerWorkflow(halting);
  return { url, store, scheduler, parts: opened.move() };
}

export async function openOperated(): Promise<OperatedService> {
  const { url, store, scheduler, parts } = await openStores();
  let hints = 0;
  let cancelled: AttemptOfTask[] = [];
  const hint = () => {
    hints += 1;
  };
  const cancel = (attempts: readonly AttemptOfTask[]) => void cancelled.push(...attempts);
  const openApp = (operatorToken: string | null) =>
    serve(store, { hint, cancel, token: operatorToken });
  const app = parts.use(openApp(token));
  return {
    url,
    store,
    scheduler,
    app,
    openApp,
    ...requests(app),
    get hints() {
      return hints;
    },
    get cancelled() {
      return cancelled;
    },
    forgetHints() {
      hints = 0;
      cancelled = [];
    },
    claim: () =>
      scheduler.claimDueSteps({
        lockedBy: "scheduler-1",
        capacity: ["rooms", "payments", "tickets"].map((lane) => ({ lane, slots: 100 })),
        resendAfter: 1_000,
      }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** What applications and operators ask for. */
function requests(app: App): Pick<OperatedService, "submit" | "show" | "act" | "onBooking"> {
  const show = async (id: string) => (await app.inject({ url: `/v1/tasks/${id}` })).json<Shown>();
  const act: OperatedService["act"] = (path, payload, headers = {}) =>
    app.inject({
      method: "POST",
      url: path,
      headers: { authorization: `Bearer ${token}`, ...headers },
      payload,
    });
  return {
    show,
    act,
    async submit() {
      const payload = sampleBooking();
      const response = await app.inject({ method: "POST", url: "/v1/bookings", payload });
      return show(response.json<{ id: string }>().id);
    },
    onBooking: ({ id, version }, what, payload = {}) =>
      act(`/v1/tasks/${id}/${what}`, { ...asOperator, ...payload }, { "if-match": `"${version}"` }),
  };
}
