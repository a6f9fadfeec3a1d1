import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { TransientFault } from "@holdfast/domain";

/** Names of `work`. */
export type WorkName =
  | "check"
  | "faults"
  | "flow"
  | "judge"
  | "hash"
  | "hashes"
  | "gaps"
  | "meansTheSame"
  | "reading";

/** Work that ended the thread twice, by the time that it took. */
export class LostWork extends Error {}

/**
 * Has a piece of work done. Arguments and result are JSON. Rejects with `request.overload` if it
 * was not begun in time.
 */
type Aside = <Result>(name: WorkName, ...args: readonly unknown[]) => Promise<Result>;

interface Piece {
  readonly text: string;
  readonly done: PromiseWithResolvers<unknown>;
  /** Threads that it may still end. The first of them had to be started, and its code compiled. */
  lives: number;
  /** Refuses it, unless it has begun. */
  readonly refusal: NodeJS.Timeout;
}

/**
 * Milliseconds of the processor that a piece of work may take: a hundred times the longest that is
 * known.
 */
const usualLimit = 10_000;
/** Reads of the thread's time before a piece of work has had all of its own. */
const reads = 10;
/**
 * Milliseconds that a piece of work waits for those before it: what asks for it does so several
 * times, and is answered while its client still waits.
 */
const usualTimeout = 3_000;
/** Milliseconds without work after which the thread ends: it holds some 20 MB. */
const idle = 60_000;

const own = import.meta.url;
const isSource = own.endsWith(".ts");
const ownFile = new URL(isSource ? "./thread.ts" : "./thread.js", own);

/**
 * Opens a way to have work done in a thread of the process, so that its event loop goes on whatever
 * a user's schema or value costs. The thread starts at the first piece of work, and does one after
 * the other; what it cannot begin in time is refused, and may come again. What it holds is bounded
 * by what payloads and definitions may be: a limit of its own would end the process where V8 finds
 * it reached.
 */
export function openAside({
  file = ownFile,
  longest = usualLimit,
  timeout = usualTimeout,
} = {}): Aside {
  const waiting = openQueue(timeout);
  let doing: Piece | undefined;
  let thread: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;

  const doNext = (): void => {
    if (doing !== undefined) return;
    clearTimeout(timer);
    doing = waiting.next();
    if (doing === undefined) {
      thread?.unref();
      timer = setTimeout(endThread, idle).unref();
      return;
    }
    thread ??= startThread(file, { answered, ended });
    thread.ref();
    thread.postMessage(doing.text, []);
    void watch(doing, thread);
  };

  const watch = async (piece: Piece, worker: Worker): Promise<void> => {
    const isOver = () => doing !== piece || thread !== worker;
    if (await spends(worker, longest, isOver)) endThread();
  };

  const endThread = (): void => void thread?.terminate();

  const answered = (text: string): void => {
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: string };
    const { resolve, reject } = doing!.done;
    doing = undefined;
    if (error === undefined) resolve(result);
    else reject(new Error(error));
    doNext();
  };

  const ended = (): void => {
    thread = undefined;
    const lost = doing;
    doing = undefined;
    if (lost !== undefined) {
      if ((lost.lives -= 1) > 0) waiting.again(lost);
      else lost.done.reject(new LostWork("It takes more time than it may"));
    }
    doNext();
  };

  return (name, ...args) => {
    const result = waiting.add(JSON.stringify([name, args]));
    doNext();
    return result as Promise<never>;
  };
}

/** Pieces that wait for their turn, the oldest first; those that wait for too long are refused. */
function openQueue(timeout: number) {
  const waiting: Piece[] = [];
  const refuse = (piece: Piece): void => {
    waiting.splice(waiting.indexOf(piece), 1);
    piece.done.reject(new TransientFault("request.overload", "Too much waits to be checked"));
  };
  return {
    /** Resolves to the result of the piece. */
    add(text: string): Promise<unknown> {
      const done = Promise.withResolvers<unknown>();
      const refusal = setTimeout(() => refuse(piece), timeout).unref();
      const piece: Piece = { text, done, lives: 2, refusal };
      waiting.push(piece);
      return done.promise;
    },
    /** Takes the next one, which is refused no more. */
    next(): Piece | undefined {
      const piece = waiting.shift();
      clearTimeout(piece?.refusal);
      return piece;
    },
    /** Puts one that has begun before all others. */
    again(piece: Piece): void {
      waiting.unshift(piece);
    },
  };
}

/**
 * Whether a thread spends so many milliseconds before that is over: what a machine does not run
 * takes none, however long it lasts.
 */
async function spends(thread: Worker, most: number, isOver: () => boolean): Promise<boolean> {
  const before = await timeOf(thread);
  for (;;) {
    await sleep(most / reads, undefined, { ref: false });
    const spent = (await timeOf(thread)) - before;
    if (isOver()) return false;
    if (spent >= most) return true;
  }
}

/**
 * Milliseconds of the processor that a thread has had; on releases of Node that cannot tell, of any
 * clock.
 */
async function timeOf(thread: Partial<Worker>): Promise<number> {
  if (thread.cpuUsage === undefined) return performance.now();
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1_000;
}

interface ThreadEvents {
  readonly answered: (text: string) => void;
  readonly ended: () => void;
}

function startThread(file: URL, { answered, ended }: ThreadEvents): Worker {
  const thread = new Worker(file, {
    name: "aside",
    // What the process preloads watches its own event loop, and its settings are no business of a
    // schema.
    execArgv: isSource ? ["--conditions=@holdfast/source"] : [],
    env: {},
  });
  thread.on("message", answered);
  // It ends then, too.
  thread.on("error", () => {});
  thread.on("exit", ended);
  return thread;
}

/**
 * Work that users' schemas and values may make last for longer than an event loop may stand still:
 * for all of a process.
 */
export const aside = openAside();
