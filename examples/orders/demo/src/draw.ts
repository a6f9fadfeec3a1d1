import { setTimeout as sleep } from "node:timers/promises";
import type { StateStore } from "@holdfast/state-store";
import { openScreen, type View } from "./screen.ts";

/** Milliseconds. */
const refresh = 200;

/** Draws what there is to see, until the signal. */
export async function draw(
  store: Pick<StateStore, "countTasks">,
  view: () => Omit<View, "states">,
  signal: AbortSignal,
): Promise<void> {
  using screen = openScreen(process.stdout);
  const earlier = await store.countTasks();
  while (!signal.aborted) {
    const states = without(await store.countTasks().catch(() => earlier), earlier);
    screen.show({ ...view(), states });
    await sleep(refresh, undefined, { signal }).catch(() => {});
  }
}

/** What has come to what an earlier start left. */
function without(
  now: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(now).map(([state, count]) => [state, Math.max(0, count - (before[state] ?? 0))]),
  );
}
