import { eventStreamReader } from "@holdfast/client/event-stream";
import type { Api } from "../api/api.ts";
import { type Call, call } from "../api/call.ts";
import { ProblemFault } from "../api/faults.ts";

/** How a stream stands. */
export type StreamState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "lost"; readonly since: number; readonly nextTryAt: number }
  /** The service has no such stream, or not for us. */
  | { readonly kind: "refused"; readonly reason: string };

interface FollowOptions {
  readonly api: Pick<Api, "open">;
  readonly path: string;
  readonly onEvent: (event: string, data: unknown) => void;
  readonly onState: (state: StreamState) => void;
  readonly signal: AbortSignal;
  readonly clock?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Milliseconds without a byte after which a connection counts as dead; the service sends one each
 * 15 s.
 */
const silence = 40_000;
const longestDelay = 10_000;

/**
 * Follows a stream until the signal aborts or the stream says `end`, and resumes it where it was
 * lost.
 */
export async function followStream(options: FollowOptions): Promise<void> {
  const { signal, onState, clock = Date.now, sleep = pause } = options;
  let lastId: string | null = null;
  let lostSince: number | null = null;
  const remember = (id: string): void => void (lastId = id);
  const hasEnded = (): boolean => signal.aborted;
  onState({ kind: "connecting" });
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const onOpen = () => {
        failures = 0;
        lostSince = null;
        onState({ kind: "live" });
      };
      if (await readStream(options, { lastId, remember, onOpen })) return;
    } catch (error) {
      if (hasEnded()) return;
      if (isFinal(error)) return onState({ kind: "refused", reason: error.message });
    }
    if (hasEnded()) return;
    const delay =
      Math.min(longestDelay, 500 * 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
    lostSince ??= clock();
    onState({ kind: "lost", since: lostSince, nextTryAt: clock() + delay });
    await sleep(delay, signal);
  }
}

/** A refusal that asking again does not change. Too many streams and too many tries pass. */
const isFinal = (error: unknown): error is ProblemFault =>
  error instanceof ProblemFault && error.status < 500 && error.status !== 429;

interface Reading {
  readonly lastId: string | null;
  readonly remember: (id: string) => void;
  readonly onOpen: () => void;
}

/** Resolves to whether the stream has said that it is complete. */
async function readStream(
  { api, path, onEvent, signal }: FollowOptions,
  { lastId, remember, onOpen }: Reading,
): Promise<boolean> {
  const dead = new AbortController();
  let watchdog = setTimeout(() => dead.abort(), silence);
  try {
    const headers = {
      accept: "text/event-stream",
      ...(lastId === null ? {} : { "last-event-id": lastId }),
    };
    const both = AbortSignal.any([signal, dead.signal]);
    // A stream has neither a query nor a body; its path is that of all tasks or of one.
    const asked: Call = { ...call("get", "/v1/events", { headers }), path };
    const response = await api.open(asked, both);
    onOpen();
    const read = eventStreamReader();
    const decoder = new TextDecoder();
    // Not by `for await`: Safari's streams cannot be iterated.
    const reader = response.body?.getReader();
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done) return false;
      clearTimeout(watchdog);
      watchdog = setTimeout(() => dead.abort(), silence);
      for (const { id, event, data } of read(decoder.decode(value, { stream: true }))) {
        if (id !== null) remember(id);
        if (event === "end") return true;
        if (event !== "" && data !== "") onEvent(event, JSON.parse(data));
      }
    }
  } finally {
    clearTimeout(watchdog);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
