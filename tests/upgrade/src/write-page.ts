import { type MoveReport, sectionOfMove } from "./move-report.ts";
import { countTable, headingOf, listOf, type OwnCounts, phaseTable } from "./page-parts.ts";
import { faultsOf, ordersOf, type UpgradeReport } from "./upgrade-report.ts";

const head = `# Upgrades under orders and kills

\`npm run upgrade-run -- --from REV\` writes this page, a part for each release before. It checks that revision out, installs and compiles it, and starts its services and this release's on one Postgres and one RabbitMQ. Orders come over HTTP, by message and by SQL all the time, and from the client and the command of both releases, of which each calls services of its own release or a later one. A process of either release is killed with \`kill -9\` every few seconds. The upgrade is that of [the guide](../guides/upgrade.md). At the end each accepted order must have come to the end that its kind demands, with the effects of that end, once each, in the partners' own ledgers.

\`npm run upgrade-run -- --rabbitmq 4.0\` does the same for a move from the RabbitMQ of this machine to that one.`;

/**
 * Writes a run into the page, in place of an earlier one from the same release. The newest run
 * stands first.
 */
export const writePage = (page: string, report: UpgradeReport, at: Date): string =>
  pageWith(page, sectionOf(report, at), `## From ${report.from} `);

/** Writes a move into the page, in place of an earlier one between the same brokers. */
export const writeMove = (page: string, report: MoveReport, at: Date): string =>
  pageWith(page, sectionOfMove(report, at), `${headingOf(report)}\n`);

/** The page with a section first, in place of those that begin so. */
function pageWith(page: string, section: string, replaced: string): string {
  const [, ...sections] = page.split(/^(?=## )/m);
  const others = sections.filter((one) => !one.startsWith(replaced));
  const all = [section, ...others.map((one) => one.trimEnd())];
  return `${[head, ...all].join("\n\n")}\n`;
}

function sectionOf(report: UpgradeReport, at: Date): string {
  const { seed, seconds, kills } = report;
  const faults = faultsOf(report);
  return [
    headingOf(report),
    `On ${at.toISOString().slice(0, 10)}, ${seconds} s of orders, seed ${seed}: ${ordersOf(report).toLocaleString("en")} orders accepted, ${kills} processes killed, ${report.lost} lost, ${report.doubled} doubled. ${migrationOf(report)} ${wayBackOf(report)}`,
    phaseTable(report.phases),
    countTable(report, ownCounts(report)),
    ...(faults.length === 0 ? [] : [`Wrong:\n\n${listOf([...faults, ...report.witnesses])}`]),
  ].join("\n\n");
}

function migrationOf({ migrations, stopped }: UpgradeReport): string {
  if (migrations.length === 0) {
    return "Both releases have the same schema; services were replaced one by one.";
  }
  const names = migrations.map((name) => `\`${name}\``).join(", ");
  return stopped
    ? `Submission, operations, Schedulers and Supervisors were stopped for ${names}; Agents went on.`
    : `Services went on during ${names}, and were replaced one by one.`;
}

function wayBackOf({ refusals, from }: UpgradeReport): string {
  const [first] = refusals;
  if (first === undefined) {
    return `All services went back to ${from}, Agents first, and forward again.`;
  }
  const services = refusals.map(({ service }) => service).join(", ");
  return `There is no way back: on the store of this release, ${services} of ${from} end at their start and say "${first.said}".`;
}

const ownCounts = (report: UpgradeReport): OwnCounts => ({
  before: [
    ["orders over HTTP", report.orders.http],
    ["orders by message", report.orders.message],
    ["orders by SQL", report.orders.sql],
    ["orders by clients of both releases", report.orders.client],
    ["orders by commands of both releases", report.orders.command],
    [
      "those that clients and commands of the release before submitted to this one",
      report.calledFromBefore,
    ],
  ],
  after: [
    ["processes of this release that did not stop in their grace", report.overstayed],
    ["processes of the release before that did not", report.overstayedBefore],
    ["tasks on which the release before acted, ended by this one", report.carriedOver],
    ["tasks on which this release acted, ended by the one before", report.carriedBack],
    [
      "tasks of a workflow that only the release before stored, begun after the upgrade",
      report.ofKeptWorkflow,
    ],
  ],
});
