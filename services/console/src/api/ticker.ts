import type { ContactLog } from "./contact.ts";
import { type Observable, observable } from "./observable.ts";

/** The time of the service, once a second while it is looked at. */
export type Ticker = Pick<Observable<number>, "get" | "subscribe">;

export function openTicker(contact: Pick<ContactLog, "get">): Ticker {
  const read = () => Date.now() + contact.get().clockAheadMs;
  const now = observable(read());
  let timer: ReturnType<typeof setInterval> | undefined;
  let listeners = 0;
  return {
    get: now.get,
    subscribe(listener) {
      const unsubscribe = now.subscribe(listener);
      listeners += 1;
      timer ??= setInterval(() => now.set(read()), 1_000);
      return () => {
        unsubscribe();
        listeners -= 1;
        if (listeners > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
