import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  asOperator,
  halting,
  type OperatedService,
  openOperated,
  recorded,
  token,
} from "../test/operated.ts";

let operated: OperatedService;

beforeAll(async () => {
  operated = await openOperated();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});
beforeEach(() => operated.forgetHints());

test.each(["agent", "workflow"])(
  "a %s is paused and resumed, with the operator and the reason",
  async (kind) => {
    const name = kind === "agent" ? "notifications" : halting.name;
    const path = `/v1/${kind}s/${name}`;
    expect((await operated.act(`${path}/pause`, asOperator)).statusCode).toBe(204);
    expect((await operated.act(`${path}/pause`, asOperator)).json()).toMatchObject({
      code: "pause.in_force",
    });
    const headers = { authorization: `Bearer ${token}` };
    const { items } = (await operated.app.inject({ url: "/v1/pauses", headers })).json();
    expect(items[0]).toMatchObject({ kind, name, ...recorded, resumedAt: null });
    expect((await operated.act(`${path}/resume`, asOperator)).statusCode).toBe(204);
    expect((await operated.act(`${path}/resume`, asOperator)).json()).toMatchObject({
      code: "pause.not_in_force",
    });
  },
);

test.each([
  ["agent", "paymnets", "payments"],
  ["workflow", "haltign.v1", "halting.v1"],
])("a pause of the unknown %s %s is refused, with names like it", async (kind, name, like) => {
  for (const verb of ["pause", "resume"]) {
    const response = await operated.act(`/v1/${kind}s/${name}/${verb}`, asOperator);
    expect(response.json()).toMatchObject({
      status: 404,
      code: `${kind}.unknown`,
      detail: expect.stringContaining(like),
    });
  }
});
