import type { PostOrder } from "./post-order.ts";

/** Orders that come in at a rate of their own. Disposing ends them. */
export interface SteadyLoad extends Disposable {
  readonly taken: number;
  readonly refused: number;
}

/** Milliseconds. */
const tick = 5;

/** Submits so many orders a second, however long the answers take. */
export function submitSteadily(post: PostOrder, ordersPerSecond: number): SteadyLoad {
  const from = performance.now();
  const count = { begun: 0, taken: 0, refused: 0 };
  const submit = async () => {
    if (await post()) count.taken += 1;
    else count.refused += 1;
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - from) / 1_000) * ordersPerSecond;
    for (; count.begun < due; count.begun += 1) void submit();
  }, tick);
  return {
    get taken() {
      return count.taken;
    },
    get refused() {
      return count.refused;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
