import { expect, test } from "@jest/globals";
import { openDev } from "../../test/open-dev.ts";

const agent = `
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { host } from "@holdfast/agent";
import { defineAgent } from "@holdfast/workflow";
import { z } from "zod";
export const mail = defineAgent("mail", {
  say: { input: z.object({ to: z.string() }), output: z.object({ said: z.string() }) },
});
export const agent = host(mail, {
  async say({ to }, { signal }) {
    while (to === "held" && !existsSync("freed")) await sleep(20, undefined, { signal });
    if (to === "later" && !existsSync("mended")) throw new Error("It is broken.");
    return { said: to };
  },
});
`;
const workflow = `
import { defineWorkflow } from "@holdfast/workflow";
import { z } from "zod";
import { mail } from "../agents/mail.ts";
export const flow = defineWorkflow("mail-flow.v1", z.object({ to: z.string() }), ({ to }, step) => {
  const said = step("say", {
    call: mail.say({ to }),
    completeWithin: "60s",
    retry: { failures: 2, backoff: "100ms" },
    coolDown: { wait: "1h", times: 1 },
  });
  return { said };
});
`;

test("the key t has a step done at once that waits an hour, because its task begins then or because it cools down, and ends an attempt under way", async () => {
  const files = { "agents/mail.ts": agent, "workflows/mail.ts": workflow };
  await using dev = await openDev(files, { ownPostgres: true });
  await dev.seen(/^keys:.* t clock \+ 1 h/m);
  const notBefore = new Date(Date.now() + 50 * 60_000).toISOString();
  const beginsLater = await dev.submit("mail-flow", { to: "ann" }, { notBefore });
  const coolsDown = await dev.submit("mail-flow", { to: "later" });
  await dev.until(coolsDown, ({ steps }) => steps[0]?.failureCount === 2);
  const held = await dev.submit("mail-flow", { to: "held" });
  await dev.until(held, ({ steps }) => steps[0]?.processState === "processing");
  dev.save("mended", "");
  dev.press("t");
  await dev.seen(/^clock \+ 1 h: for the store it is /m);
  const ended = [await dev.ended(beginsLater), await dev.ended(coolsDown)];
  expect(ended.map(({ state }) => state)).toEqual(["processed", "processed"]);
  // The attempt that was under way passed its deadline.
  await dev.until(held, ({ steps }) => steps[0]?.attempt === 2);
  dev.save("freed", "");
  expect((await dev.ended(held)).state).toBe("processed");
  expect(await dev.holdfast("verify", "--direct")).toMatchObject({ code: 0 });
  const { text } = await dev.holdfast("doctor", "--direct");
  expect(text).toMatch(/^✓ store\.clock .* apart from the .* of holdfast dev$/m);
  expect(text).toMatch(/^✓ store\.clock_jumped /m);
});
