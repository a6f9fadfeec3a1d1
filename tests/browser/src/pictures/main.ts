import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "@holdfast/state-store";
import { startTestStack } from "@holdfast/test-servers";
import { type Shown, startBench } from "../bench.ts";
import { getChromium } from "../find-chromium.ts";
import { pictureIncident, pictureUndo } from "./incident.ts";

const folder = fileURLToPath(new URL("../../../../docs/pictures/", import.meta.url));
const most = 150_000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Takes the pictures of the README and the guides anew, of a real system with a real incident. */
async function takePictures(): Promise<void> {
  const chromium = await getChromium(say);
  if (chromium === null) throw new Error("Pictures need Chromium.");
  await mkdir(folder, { recursive: true });
  await using _stack = await startTestStack(migrate);
  await using bench = await startBench(chromium);
  const take = async ({ page }: Shown, name: string): Promise<void> => {
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path, animations: "disabled" });
    const { size } = await stat(path);
    say(`${name}.png: ${Math.round(size / 1_000)} kB`);
    if (size > most) throw new Error(`${name}.png is larger than ${most} bytes.`);
  };
  await pictureUndo(bench, take);
  await pictureIncident(bench, take);
}

await takePictures();
