import { connect as connectTo } from "node:net";
import { expect, test } from "@jest/globals";
import type { Clock } from "../time/clock.ts";
import { type FailedAttempt, serverAccess } from "./server-access.ts";

/** A clock that a test sets, with all that waits for it. */
function manualClock() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly act: () => void }>();
  const clock: Clock = {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    clock,
    /**
     * Goes on by so many milliseconds, one by one as timers are due, and lets all run that is due.
     */
    pass: async (ms: number): Promise<void> => {
      const end = now + ms;
      await turn();
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        now = Math.max(now, due.at);
        timers.delete(due);
        due.act();
        await turn();
      }
      now = end;
      await turn();
    },
  };
}

const failures: Readonly<Record<string, FailedAttempt>> = {
  away: { kind: "away", reason: "connect ECONNREFUSED" },
  refused: { kind: "refused", reason: "login refused for user ann" },
};
const explain = (error: unknown): FailedAttempt => failures[(error as Error).message]!;

/** An access, with a server that answers as `answer` says now: "up", "away" or "refused". */
function open(options: { readonly timeout?: number } = {}) {
  const time = manualClock();
  const lines: string[] = [];
  const faults: string[] = [];
  const server = { answer: "up", url: "amqp://ann:first@a", tried: [] as string[] };
  const say = (fields: object, message: string): void => {
    const { reason = "" } = fields as { readonly reason?: string };
    lines.push([message, reason].filter((text) => text !== "").join(": "));
  };
  const access = serverAccess({
    name: "broker",
    read: () => server.url,
    log: { info: say, warn: say, error: say },
    clock: time.clock,
    random: () => 1,
    timeout: options.timeout ?? null,
    giveUp: ({ code, message }) => void faults.push(`${code}: ${message}`),
  });
  const connect = async (url: string): Promise<"connected"> => {
    server.tried.push(url);
    if (server.answer !== "up") throw new Error(server.answer);
    return "connected";
  };
  const attempt = (how: { readonly within?: number; readonly signal?: AbortSignal } = {}) =>
    access.attempt(connect, { ...how, explain });
  /** A connection that is tried again until it is there. */
  const keep = async (): Promise<void> => {
    while ((await attempt().catch(() => null)) === null);
  };
  return { ...time, access, attempt, keep, lines, faults, server };
}

test("while a server refuses the login, ten connections try no oftener than one, and all are there once it accepts", async () => {
  const counts: number[] = [];
  for (const connections of [1, 10]) {
    const { server, attempt, keep, pass } = open();
    server.answer = "refused";
    await attempt().catch(() => {});
    const kept = Promise.all(Array.from({ length: connections }, keep));
    await pass(600_000);
    counts.push(server.tried.length);
    server.answer = "up";
    await pass(20_000);
    await kept;
  }
  expect(counts[1]).toBe(counts[0]);
});

test("the log has one line for each change, whatever lies between", async () => {
  const { server, attempt, keep, pass, lines } = open();
  await attempt();
  for (const answer of ["away", "refused"]) {
    server.answer = answer;
    const kept = Promise.all([keep(), keep(), keep()]);
    await pass(300_000);
    server.answer = "up";
    await pass(20_000);
    await kept;
    await pass(10_000);
  }
  expect(lines).toEqual([
    "broker connection lost: connect ECONNREFUSED",
    "broker connection restored",
    "broker login refused: login refused for user ann",
    "broker connection restored",
  ]);
});

test("a server that is away and refuses by turns has one line for each", async () => {
  const { server, keep, pass, lines } = open();
  server.answer = "away";
  const kept = keep();
  for (let turn = 0; turn < 20; turn += 1) {
    server.answer = turn % 2 === 0 ? "away" : "refused";
    await pass(30_000);
  }
  server.answer = "up";
  await pass(20_000);
  await kept;
  expect(lines).toEqual([
    "broker cannot be reached: connect ECONNREFUSED",
    "broker login refused: login refused for user ann",
    "broker connection restored",
  ]);
});

test("a login that changes while it is refused is tried within a second", async () => {
  const { server, keep, pass } = open();
  server.answer = "refused";
  const kept = keep();
  await pass(600_000);
  const before = server.tried.length;
  server.answer = "up";
  server.url = "amqp://ann:second@a";
  await pass(1_000);
  await kept;
  expect(server.tried.slice(before)).toEqual(["amqp://ann:second@a"]);
});

test("a login that is refused for longer than the timeout is given up, and one that changes in time is not", async () => {
  const patient = open({ timeout: 60_000 });
  patient.server.answer = "refused";
  void patient.keep();
  await patient.pass(50_000);
  patient.server.url = "amqp://ann:second@a";
  await patient.pass(50_000);
  expect(patient.faults).toEqual([]);
  await patient.pass(40_000);
  expect(patient.faults[0]).toBe(
    "broker.login_refused: RabbitMQ refuses the login: login refused for user ann",
  );
});

test("a server that is only away is never given up", async () => {
  const { server, keep, pass, faults } = open({ timeout: 1_000 });
  server.answer = "away";
  void keep();
  await pass(3_600_000);
  expect(faults).toEqual([]);
});

test("what waits for its turn ends with its signal, and what cannot wait fails as the last attempt did", async () => {
  const { server, attempt, keep, pass } = open();
  server.answer = "refused";
  void keep();
  await pass(600_000);
  await expect(attempt({ within: 0 })).rejects.toThrow("refused");
  const stop = new AbortController();
  const waiting = attempt({ signal: stop.signal });
  stop.abort(new Error("stopping"));
  await expect(waiting).rejects.toThrow("stopping");
});

test("an alarm of the broker has two lines, however many connections it blocks and however often", async () => {
  const { access, lines } = open();
  const connections = Array.from({ length: 6 }, () => ({}));
  for (const connection of connections) access.blocked(connection, "low on memory");
  expect(access.trouble()).toBe("takes no messages: low on memory");
  expect(access.blockedBy()).toBe("low on memory");
  for (const connection of connections) access.blocked(connection, null);
  expect(access.trouble()).toBeNull();
  expect(lines).toEqual([
    "broker blocks publishers: low on memory",
    "broker accepts messages again",
  ]);
});

test("an outage of a host of which no address answers has a reason that names each of them", async () => {
  const { access } = open();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const lookup = (_host: string, _options: object, found: (...answer: unknown[]) => void) =>
    found(null, [
      { address: "127.0.0.1", family: 4 },
      { address: "127.0.0.2", family: 4 },
    ]);
  connectTo({ host: "broker.example", port: 1, lookup: lookup as never }).once("error", resolve);
  access.lost(await promise);
  expect(access.trouble()).toBe(
    "connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.2:1",
  );
});
