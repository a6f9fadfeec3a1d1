import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PermanentFault, runAgent, TransientFault } from "@holdfast/agent";
import { defineAgent } from "@holdfast/workflow";
import { z } from "zod";

/** The Agent of examples/languages/python once more, with the SDK. */
const badges = defineAgent("badges", {
  print: {
    input: z.object({ guest: z.string().optional(), seconds: z.number().optional() }),
    output: z.object({ badge: z.string() }),
    undo: "shred",
  },
});

const fileOf = (key: string) => join(process.env["BADGES"] ?? "", encodeURIComponent(key));
const contentOf = (key: string) => readFile(fileOf(key), "utf8").catch(() => "");

await runAgent(
  badges,
  {
    async print({ guest = "", seconds = 0 }, { idempotencyKey, signal }) {
      if (guest === "") throw new PermanentFault("badges.no_guest", "A badge needs a guest");
      if (guest === "paper jam") throw new TransientFault("badges.paper_jam", "It is jammed");
      await sleep(seconds * 1_000, undefined, { signal });
      const found = await contentOf(idempotencyKey);
      if (found.endsWith("shredded")) throw new PermanentFault("badges.shredded", "Shredded");
      if (found !== guest) await appendFile(fileOf(idempotencyKey), guest);
      return { badge: idempotencyKey };
    },
    async shred({ key }) {
      if (!(await contentOf(key)).endsWith("shredded")) await appendFile(fileOf(key), "shredded");
    },
  },
  { resilience: { retries: 0 } },
);
