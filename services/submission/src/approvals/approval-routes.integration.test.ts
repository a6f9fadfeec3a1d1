import { queryOnce } from "@holdfast/local-stack";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type OperatedService, openOperated, token } from "../../test/operated.ts";
import { as, type Person, people, principals } from "../../test/people.ts";
import { halting, releasing, simple } from "../../test/releasing.ts";
import { serve } from "../../test/serve.ts";

let operated: OperatedService;
let app: ReturnType<typeof serve>;
let hints: string[] = [];

beforeAll(async () => {
  operated = await openOperated();
  await operated.store.registerWorkflow(releasing);
  await operated.store.registerWorkflow(simple);
  await operated.store.registerWorkflow(halting);
  const hint = (due?: string) => void hints.push(due ?? "");
  app = serve(operated.store, { token, principals, hint });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await operated[Symbol.asyncDispose]();
});

type Headers = Readonly<Record<string, string>>;
const operator = { authorization: `Bearer ${token}` };
const input = { amount: 2_400, requestedBy: "edsger" };
const form = { costCentre: "C-12" };

async function submit(
  workflow = "releasing",
  more: object = {},
  headers: Headers = as("checkout"),
) {
  const payload = { workflow, input: { ...input, ...more } };
  const answer = await app.inject({ method: "POST", url: "/v1/tasks", headers, payload });
  expect(answer.statusCode).toBe(202);
  return answer.json<{ id: string }>().id;
}

const post = async (url: string, payload: object | string, headers: Headers) => {
  const type = { "content-type": "application/json" };
  const sent = { method: "POST", url, payload, headers: { ...type, ...headers } } as const;
  return (await app.inject(sent)).json<Record<string, unknown>>();
};
const decide = (task: string, who: Person, said: object, step = "release") =>
  post(`/v1/tasks/${task}/steps/${step}/decision`, said, as(who));
const approve = { decision: "approve", form };
const reject = { decision: "reject", reason: "too much" };

const get = async (url: string, headers: Headers = {}) =>
  (await app.inject({ url, headers })).json<Record<string, unknown>>();
const approvalOf = (task: string, headers: Headers = as("ada"), step = "release") =>
  get(`/v1/tasks/${task}/steps/${step}/approval`, headers);

interface Listed {
  readonly items: readonly (Readonly<Record<string, unknown>> & { readonly taskId: string })[];
  readonly next: string | null;
}
const list = async (headers: Headers, query = "") =>
  (await get(`/v1/approvals${query}`, headers)) as unknown as Listed;
const listed = async (task: string, headers: Headers, query = "") =>
  (await list(headers, `?limit=100${query}`)).items.filter(({ taskId }) => taskId === task);

/** Has the task as one that was written before its submitter was kept. */
const forgetSubmitter = (task: string) =>
  queryOnce(
    operated.url,
    `set session_replication_role = replica;
     update state.tasks set submitted_by = null where task_id = '${task}';
     reset session_replication_role`,
  );
const endWaits = () => operated.scheduler.fireWaits({ actor: "s-1", most: 100, expected: null });

describe("a step that waits for two of the treasury", () => {
  test("is listed for them with what they see, and done once two have approved", async () => {
    const task = await submit();
    expect(await listed(task, as("ada"))).toEqual([
      {
        taskId: task,
        step: "release",
        workflow: "releasing.v1",
        key: null,
        submittedBy: "checkout",
        audience: "treasury",
        quorum: 2,
        openedAt: expect.any(String),
        deadline: expect.any(String),
        onDeadline: "reject",
        paused: false,
        mayDecide: true,
        decisions: [],
        show: { amount: 2_400 },
        form: releasing.forms.release,
      },
    ]);
    hints = [];
    const first = await decide(task, "ada", { ...approve, reason: "there is room" });
    expect(first).toEqual({
      taskId: task,
      step: "release",
      decision: "approve",
      id: "ada",
      at: expect.any(String),
      approvals: 1,
      quorum: 2,
      decided: false,
      replayed: false,
    });
    expect(hints).toEqual([]);
    expect(await listed(task, as("grace"))).toMatchObject([
      {
        mayDecide: true,
        decisions: [
          { id: "ada", name: "ada's name", decision: "approve", reason: "there is room", form },
        ],
      },
    ]);
    const last = { decision: "approve", form: { costCentre: "C-13" } };
    expect(await decide(task, "grace", last)).toMatchObject({ approvals: 2, decided: true });
    expect(hints).toEqual(["waits"]);
    expect(await listed(task, as("grace"))).toEqual([]);
    await endWaits();
    expect(await approvalOf(task)).toMatchObject({
      outcome: "approved",
      mayDecide: false,
      decisions: [{ id: "ada" }, { id: "grace" }],
      show: { amount: 2_400 },
    });
    expect((await decide(task, "root", approve))["code"]).toBe("approval.over");
    expect(await get(`/v1/tasks/${task}`, operator)).toMatchObject({
      submittedBy: "checkout",
      steps: [
        {
          name: "release",
          processState: "processed",
          output: { decision: "approved", fired: "approval", form: last.form },
        },
        {},
        {},
      ],
    });
  });

  test("is rejected by one, whatever others say, and the answer says by whom", async () => {
    const task = await submit();
    await decide(task, "ada", approve);
    hints = [];
    expect(await decide(task, "grace", reject)).toMatchObject({ decided: true, approvals: 1 });
    expect(hints).toEqual(["waits"]);
    await endWaits();
    expect(await decide(task, "root", approve)).toMatchObject({
      status: 409,
      code: "approval.over",
      outcome: "rejected",
      decisions: [
        { id: "ada", decision: "approve" },
        { id: "grace", decision: "reject", reason: "too much" },
      ],
    });
    expect(await approvalOf(task, operator)).toMatchObject({ outcome: "rejected", openedAt: null });
  });

  test("is decided once by all who press at a time", async () => {
    const task = await submit();
    hints = [];
    const answers = await Promise.all(
      (["ada", "grace", "root"] as const).map((who) => decide(task, who, approve)),
    );
    const counted = answers.filter((answer) => answer["code"] === undefined);
    expect(counted.filter((answer) => answer["decided"] === true)).toHaveLength(1);
    expect(counted).toHaveLength(2);
    expect(answers.find((answer) => answer["code"] !== undefined)).toMatchObject({
      code: "approval.over",
      outcome: "approved",
    });
    expect(hints).toEqual(["waits"]);
  });

  test("counts one person once, however often and fast it decides", async () => {
    const task = await submit();
    const answers = await Promise.all([1, 2, 3, 4].map(() => decide(task, "ada", approve)));
    expect(answers.filter((answer) => answer["replayed"] === false)).toHaveLength(1);
    expect(answers.map((answer) => answer["approvals"])).toEqual([1, 1, 1, 1]);
    expect(new Set(answers.map((answer) => answer["at"])).size).toBe(1);
  });
});

describe("a decision is refused", () => {
  test("without a token, before anything is looked up", async () => {
    const task = await submit();
    for (const id of [task, crypto.randomUUID(), "x"]) {
      const url = `/v1/tasks/${id}/steps/release`;
      const missing = { status: 401, code: "auth.token_missing" };
      expect(await post(`${url}/decision`, "{nonsense", {})).toMatchObject(missing);
      expect(await get(`${url}/approval`)).toMatchObject(missing);
    }
    expect(await get("/v1/approvals?nonsense=1")).toMatchObject({ status: 401 });
  });

  test("with a token that is none of ours, and with one that gives no right", async () => {
    const url = `/v1/tasks/${await submit()}/steps/release/decision`;
    const foreign = { authorization: "Bearer another" };
    expect(await post(url, approve, foreign)).toMatchObject({
      status: 401,
      code: "auth.token_wrong",
    });
    const valid = { authorization: "Bearer valid" };
    expect(await post(url, approve, valid)).toMatchObject({ status: 403, code: "access.denied" });
    expect(await get("/v1/approvals", valid)).toMatchObject({ status: 403 });
  });

  test("with the operators' token, with which all are listed", async () => {
    const task = await submit();
    const url = `/v1/tasks/${task}/steps/release/decision`;
    const needed = { status: 403, code: "approval.needs_principal" };
    expect(await post(url, approve, operator)).toMatchObject(needed);
    expect(await get("/v1/approvals?mine=true", operator)).toMatchObject(needed);
    expect(await listed(task, operator)).toMatchObject([{ step: "release", mayDecide: false }]);
  });

  test("about a task that there is not, and a step that people do not decide", async () => {
    const unknown = { status: 404, code: "task.unknown" };
    for (const id of [crypto.randomUUID(), "x", "%00"]) {
      expect([404, 422]).toContain((await decide(id, "ada", approve))["status"]);
    }
    expect(await decide(crypto.randomUUID(), "ada", approve)).toMatchObject(unknown);
    const task = await submit();
    for (const step of ["ready", "nothing", "constructor"]) {
      const answer = await decide(task, "ada", approve, step);
      expect(answer).toMatchObject({ status: 404, code: "approval.unknown" });
      expect(answer["detail"]).toContain("People decide these: release, check.");
      expect(await approvalOf(task, as("ada"), step)).toMatchObject({ code: "approval.unknown" });
    }
  });

  test("of one who is not of the audience, or is excluded", async () => {
    const task = await submit("releasing", {}, as("grace"));
    const foreign = { status: 403, code: "approval.not_in_audience" };
    for (const who of ["barbara", "checkout"] as const) {
      expect(await decide(task, who, approve)).toMatchObject(foreign);
      expect(await approvalOf(task, as(who))).toMatchObject(foreign);
      expect(await listed(task, as(who))).toEqual([]);
    }
    const excluded = { status: 403, code: "approval.excluded" };
    for (const who of ["grace", "edsger"] as const) {
      expect(await decide(task, who, approve)).toMatchObject(excluded);
      expect(await decide(task, who, reject)).toMatchObject(excluded);
      expect(await listed(task, as(who))).toMatchObject([{ mayDecide: false }]);
      expect(await listed(task, as(who), "&mine=true")).toEqual([]);
    }
    expect(await listed(task, as("ada"), "&mine=true")).toHaveLength(1);
  });

  test("of anyone, where it is not known who submitted the task: each might be that one", async () => {
    const task = await submit("releasing", {}, as("grace"));
    await forgetSubmitter(task);
    const unknown = { status: 409, code: "approval.exclusion_unknown" };
    for (const who of ["ada", "grace"] as const) {
      expect(await decide(task, who, approve)).toMatchObject(unknown);
      expect(await listed(task, as(who))).toMatchObject([{ mayDecide: false }]);
    }
  });

  test("of the same person, otherwise: the first stands", async () => {
    const task = await submit();
    const first = await decide(task, "ada", approve);
    for (const other of [
      reject,
      { ...approve, reason: "because" },
      { ...approve, form: { costCentre: "C-99" } },
    ]) {
      expect(await decide(task, "ada", other)).toMatchObject({
        status: 409,
        code: "approval.decided_already",
        decisions: [{ id: "ada", decision: "approve", reason: null, form, at: first["at"] }],
      });
    }
    expect(await listed(task, as("ada"), "&mine=true")).toEqual([]);
    expect(await listed(task, as("ada"))).toMatchObject([{ mayDecide: false }]);
  });

  test("before the step has begun, and of one that a later value excludes", async () => {
    const task = await submit();
    const notOpen = { status: 409, code: "approval.not_open" };
    const said = { decision: "approve" };
    expect(await decide(task, "barbara", said, "check")).toMatchObject(notOpen);
    expect(await approvalOf(task, as("barbara"), "check")).toMatchObject({
      openedAt: null,
      outcome: null,
      mayDecide: false,
    });
    await post(`/v1/tasks/${task}/signals/ready`, { payload: { auditor: "root" } }, {});
    await endWaits();
    expect(await decide(task, "root", said, "check")).toMatchObject({ code: "approval.excluded" });
    expect(await decide(task, "barbara", said, "check")).toMatchObject({ decided: true });
  });

  test.each<[string, object | undefined, string]>([
    ["that is missing", undefined, ""],
    ["without a field", {}, "/costCentre"],
    ["with a field more", { costCentre: "C-1", other: 1 }, "/other"],
    ["with another type", { costCentre: 7 }, "/costCentre"],
    ["with a NUL", { costCentre: "a\u0000" }, "/costCentre"],
  ])("with a form %s", async (_, filled, pointer) => {
    const task = await submit();
    const answer = await decide(task, "ada", { decision: "approve", form: filled });
    expect(answer).toMatchObject({ status: 400, code: "approval.form_invalid" });
    expect(answer["errors"]).toMatchObject([{ pointer }]);
    expect(await listed(task, as("ada"))).toMatchObject([{ decisions: [] }]);
  });

  test("with a form that JSON would change, or that is too large", async () => {
    const url = `/v1/tasks/${await submit()}/steps/release/decision`;
    const changed = '{"decision":"approve","form":{"costCentre":12345678901234567890}}';
    expect(await post(url, changed, as("ada"))).toMatchObject({
      status: 400,
      code: "approval.form_invalid",
      errors: [{ pointer: "/costCentre" }],
    });
    const tooLarge = { status: 413, code: "request.too_large" };
    for (const length of [70_000, 1024 * 1024]) {
      const filled = { decision: "approve", form: { costCentre: "x".repeat(length) } };
      expect(await post(url, filled, as("ada"))).toMatchObject(tooLarge);
    }
  });

  test("with a form where none is asked for, and with a rejection", async () => {
    const invalid = { status: 400, code: "approval.form_invalid" };
    expect(await decide(await submit("simple"), "ada", approve)).toMatchObject(invalid);
    expect(await decide(await submit(), "ada", { ...reject, form })).toMatchObject(invalid);
  });

  test.each<[string, object]>([
    ["without a decision", { reason: "x" }],
    ["with a word that is none", { decision: "approved" }],
    ["that rejects without a reason", { decision: "reject" }],
    ["with an empty reason", { decision: "reject", reason: "" }],
    ["with a huge reason", { decision: "reject", reason: "x".repeat(2_001) }],
    ["with a reason that commands a terminal", { decision: "reject", reason: "\u001b[2J" }],
    ["with the name of another", { ...approve, actor: "grace" }],
  ])("%s", async (_, said) => {
    expect(await decide(await submit("simple"), "ada", said)).toMatchObject({
      status: 422,
      code: "request.invalid",
    });
  });

  test("of a task that is being undone, or has ended", async () => {
    const task = await submit("simple");
    const act = { actor: "ann", reason: "a mistake" };
    await post(`/v1/tasks/${task}/cancel`, act, { ...operator, "if-match": "*" });
    expect(await decide(task, "ada", { decision: "approve" })).toMatchObject({
      code: "approval.over",
      outcome: "cancelled",
    });
    expect(await approvalOf(task)).toMatchObject({ outcome: "cancelled" });
  });
});

describe("an operator decides no step in the place of its audience", () => {
  const act = { actor: "ann", reason: "in a hurry" };
  const needed = { status: 409, code: "task.needs_decision" };
  const headers = { ...operator, "if-match": "*" };

  test("while it waits", async () => {
    const task = await submit("simple");
    const url = `/v1/tasks/${task}/steps/release/fire`;
    expect(await post(url, act, headers)).toMatchObject(needed);
    expect(await listed(task, as("ada"))).toHaveLength(1);
  });

  test("after it was rejected", async () => {
    const task = await submit("halting-release");
    await decide(task, "ada", reject);
    await endWaits();
    const done = { ...act, output: { decision: "approved" } };
    expect(await post(`/v1/tasks/${task}/resolve`, done, headers)).toMatchObject(needed);
  });
});

describe("the list", () => {
  test("has those of one audience alone, of the principal's audiences", async () => {
    const task = await submit();
    expect(await listed(task, as("root"), "&audience=audit")).toEqual([]);
    expect(await listed(task, as("root"), "&audience=treasury")).toHaveLength(1);
    expect(await get("/v1/approvals?audience=audit", as("ada"))).toMatchObject({
      status: 403,
      code: "approval.not_in_audience",
    });
    expect(await list(as("checkout"))).toEqual({ items: [], next: null });
    expect(await get("/v1/approvals?audience=Audit", as("ada"))).toMatchObject({ status: 422 });
    expect(await get("/v1/approvals?after=x", as("ada"))).toMatchObject({ status: 422 });
  });

  test("is read page by page, and each approval once", async () => {
    const tasks = [await submit(), await submit(), await submit()];
    const found: string[] = [];
    let after = "";
    do {
      const page = await list(as("root"), `?limit=2${after}`);
      found.push(...page.items.map(({ taskId }) => taskId));
      after = page.next === null ? "" : `&after=${encodeURIComponent(page.next)}`;
    } while (after !== "");
    expect(found.filter((id) => tasks.includes(id))).toEqual(tasks);
    expect(new Set(found).size).toBe(found.length);
  });

  test("leaves out what is too large for it, which one approval has", async () => {
    const memo = "x".repeat(20_000);
    const task = await submit("releasing", { memo });
    expect(await listed(task, as("ada"))).toMatchObject([{ show: null, omitted: ["show"] }]);
    const whole = await approvalOf(task);
    expect(whole).toMatchObject({ show: { amount: 2_400, memo } });
    expect(whole).not.toHaveProperty("omitted");
  });

  test("says that a task is paused, whose step is decided all the same", async () => {
    const task = await submit("simple");
    const act = { actor: "ann", reason: "wait" };
    await post(`/v1/tasks/${task}/pause`, act, { ...operator, "if-match": "*" });
    expect(await listed(task, as("ada"))).toMatchObject([{ paused: true, mayDecide: true }]);
    expect(await decide(task, "ada", reject)).toMatchObject({ decided: true });
  });
});

test("nothing that a principal shows is a token of operators", async () => {
  for (const who of people) {
    expect(await get("/v1/overview", as(who))).toMatchObject({
      status: 403,
      code: "access.denied",
    });
  }
});
