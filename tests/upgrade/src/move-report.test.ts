import { expect, test } from "@jest/globals";
import { faultsOfMove, type MoveReport } from "./move-report.ts";
import { goodReport } from "./testing.ts";
import { writeMove, writePage } from "./write-page.ts";

const at = new Date("2026-11-28T12:00:00Z");
const {
  migrations: _,
  stopped: _stopped,
  refusals: _refusals,
  carriedBack: _back,
  ofKeptWorkflow: _kept,
  ...judged
} = goodReport;
const goodMove: MoveReport = {
  ...judged,
  from: "RabbitMQ 3.10",
  to: "RabbitMQ 4.0",
  orders: 7_200,
  stoppedMs: 1_250,
  resent: 12,
  expired: 3,
};

test("a move has no fault if each order came to its end once, and some of both brokers", () => {
  expect(faultsOfMove(goodMove)).toEqual([]);
});

test.each<[Partial<MoveReport>, string]>([
  [{ lost: 1 }, "lost: 1"],
  [{ doubled: 2 }, "doubled: 2"],
  [{ carriedOver: 0 }, "no task of the broker before ended on the new one"],
  [{ kills: 0 }, "no process was killed"],
  [
    { phases: goodMove.phases.map((phase) => ({ ...phase, orders: 0 })) },
    'no order was accepted in the phase "before"',
  ],
])("a move with %j is at fault", (change, fault) => {
  expect(faultsOfMove({ ...goodMove, ...change })).toEqual([fault]);
});

test("the page of upgrades has each move once, beside the upgrades", () => {
  const upgrade = writePage("", goodReport, at);
  const moved = writeMove(writeMove(upgrade, { ...goodMove, lost: 1 }, at), goodMove, at);
  const titles = [...moved.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(titles).toEqual(["From RabbitMQ 3.10 to RabbitMQ 4.0", "From 1234abcd to 5678ef01"]);
  expect(moved).toContain("7,200 orders accepted, 150 processes killed, 0 lost, 0 doubled.");
  expect(moved).toContain("No Scheduler ran for 1.3 s.");
  expect(moved).not.toContain("Wrong:");
});
