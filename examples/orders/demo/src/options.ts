import { parseArgs } from "node:util";

export interface DemoOptions {
  /** How many orders to submit; null: one after the other until Ctrl-C. */
  readonly orders: number | null;
  /** Stop when they have all ended, and say by the exit code whether all is right. */
  readonly exit: boolean;
  /** Forget what an earlier start left behind. */
  readonly fresh: boolean;
  /** Whether processes are killed now and then. */
  readonly kill: boolean;
}

export const usage = `npm start -- [--orders N] [--exit] [--fresh] [--no-kill]

  --orders N   submit N orders instead of one after the other until Ctrl-C
  --exit       wait until each has ended, print one table and stop;
               the exit code is 0 only if every order ended right (needs --orders)
  --fresh      forget what an earlier start left in .holdfast/demo
  --no-kill    leave the processes alone`;

/** Reads the command line. Throws with what is wrong. */
export function readOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      orders: { type: "string" },
      exit: { type: "boolean", default: false },
      fresh: { type: "boolean", default: false },
      kill: { type: "boolean", default: true },
    },
  });
  const orders = values.orders === undefined ? null : Number(values.orders);
  if (orders !== null && (!Number.isInteger(orders) || orders < 1)) {
    throw new Error(`--orders must be a whole number from 1, and not ${values.orders}`);
  }
  if (values.exit && orders === null) throw new Error("--exit needs --orders N");
  return { orders, exit: values.exit, fresh: values.fresh, kill: values.kill };
}
