import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { allRight, startFaultySystem } from "./faulty-system.ts";

const seconds = 10;
const heartbeatSeconds = 1;

const crowds = [1, 2, 4];

// At the same time: each has a database and a virtual host of its own, and is counted by them.
test.concurrent.each(crowds)(
  "while idle, each of %d Schedulers and every other process sends the store less than four queries a second, and the broker one heartbeat for each Agent in a second",
  async (scheduler) => {
    await using faulty = await startFaultySystem({
      count: { scheduler },
      // As it is when nothing is said; the other tests have it shorter.
      env: { scheduler: { POLL_INTERVAL: "1s" } },
    });
    const ids = await faulty.submit(["good", "declined"]);
    expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 1 }));
    await faulty.query("create extension if not exists pg_stat_statements");
    const connection = await connect(faulty.broker?.url ?? "", { noDelay: true });
    const channel = await connection.createChannel();
    for (const exchange of ["holdfast.heartbeats", "holdfast.replies", "holdfast.cancel"]) {
      await channel.assertQueue("heard");
      await channel.bindQueue("heard", exchange, "#");
    }
    const agents = await faulty.query("select agent from state.known_agents");

    await faulty.query(`select pg_stat_statements_reset(0,
      (select oid from pg_database where datname = current_database()), 0)`);
    await channel.purgeQueue("heard");
    const from = performance.now();
    // There is no end of doing nothing to wait for: this is the time over which it is counted.
    await sleep(seconds * 1_000);
    const asked = await faulty.query<{ role: string; calls: number }>(
      `select userid::regrole::text as role, sum(calls)::integer as calls
       from pg_stat_statements
      where userid::regrole::text like 'holdfast\\_%'
        and dbid = (select oid from pg_database where datname = current_database())
      group by 1`,
    );
    const { messageCount } = await channel.checkQueue("heard");
    // On a slow machine counting takes a while, too.
    const elapsed = (performance.now() - from) / 1_000;
    await connection.close();

    const calls = Object.fromEntries(asked.map((row) => [row.role, row.calls]));
    // So many rounds of that many seconds fit into the time, wherever in one of them it began.
    const rounds = (interval: number): number => Math.floor(elapsed / interval) + 1;
    // They do ask: a count of nothing would show nothing.
    expect(calls["holdfast_scheduler"]).toBeGreaterThan(0);
    // 3.8 a second: it looks for due steps, for heartbeats and for slots, and each five seconds for
    // remote services and says that it is there. Two more are for what comes more seldom.
    const ofScheduler = 3 * rounds(1) + 4 * rounds(5) + 2;
    expect(calls["holdfast_scheduler"]).toBeLessThanOrEqual(ofScheduler * scheduler);
    expect(calls["holdfast_supervisor"]).toBeGreaterThan(0);
    // 2.8 a second: it looks for what is overdue, and rolls statistics up. Of these 0.6 are for the
    // console: every five seconds it says that it is there, looks for a longer history, and for a
    // bulk operation.
    const ofSupervisor = rounds(1) + rounds(2) + 2 * rounds(5) + 9 * rounds(10);
    expect(calls["holdfast_supervisor"]).toBeLessThanOrEqual(ofSupervisor);
    // 1.4 a second: it looks whether the inboxes are empty, each five seconds it says that it is
    // there, and more seldom looks for versions to activate.
    expect(calls["holdfast_submission"] ?? 0).toBeLessThan(2 * rounds(1));
    expect(messageCount).toBeGreaterThan(0);
    expect(messageCount).toBeLessThanOrEqual(rounds(heartbeatSeconds) * agents.length);
  },
);
