import type { ServerFacts } from "@holdfast/state-store";
import { type Finding, fine, orFine, wrong } from "./finding.ts";
import { testedVersions } from "./tested-versions.ts";

const tested = testedVersions.postgres;
/** The share of its connections from which on a server is nearly full. */
const nearlyFull = 0.8;

/** What Postgres is, whether it keeps what it was given, and whether it has room for us. */
export const checkServer = (server: ServerFacts): readonly Finding[] => [
  ...checkVersion(server),
  ...checkRole(server),
  ...checkEncoding(server),
  ...checkDurability(server),
  ...checkConnections(server),
];

function checkVersion({ version, major }: ServerFacts): readonly Finding[] {
  if (major < tested.from) {
    return [
      wrong(
        "store.version",
        `Postgres ${version} is older than what Holdfast runs on`,
        `upgrade it to ${tested.from} or later`,
      ),
    ];
  }
  const untested =
    major > tested.to ? `, later than what Holdfast is tested on (${tested.to})` : "";
  return [fine("store.version", `Postgres ${version}${untested}`)];
}

const checkRole = ({ isStandby }: ServerFacts): readonly Finding[] =>
  isStandby
    ? [
        wrong(
          "store.primary",
          "this is a standby: nothing can be written to it",
          "let STATE_STORE_URL lead to the primary, such as by target_session_attrs=read-write",
        ),
      ]
    : [];

/** Any text may come, and must be stored as it is. */
const checkEncoding = ({ encoding }: ServerFacts): readonly Finding[] =>
  encoding === "UTF8"
    ? []
    : [
        wrong(
          "store.encoding",
          `the database is in ${encoding}: a text that it cannot hold, such as an emoji, fails its task`,
          "dump it, and restore it into a database with encoding UTF8: create database … template template0 encoding 'UTF8'",
        ),
      ];

/** An order that was accepted must be there after a crash of the machine. */
function checkDurability(server: ServerFacts): readonly Finding[] {
  const off = [
    ...(server.fsync ? [] : ["fsync"]),
    ...(server.fullPageWrites ? [] : ["full_page_writes"]),
    ...(server.synchronousCommit === "off" ? ["synchronous_commit"] : []),
  ];
  return orFine(
    off.map((setting) =>
      wrong(
        "store.durability",
        `${setting} is off: orders that were accepted can be lost when the machine fails`,
        `alter system set ${setting} = on; select pg_reload_conf()`,
      ),
    ),
    "store.durability",
    "what is committed survives a crash of the machine",
  );
}

function checkConnections({ connections, places }: ServerFacts): readonly Finding[] {
  const used = `${connections} of ${places} connections are taken`;
  return connections >= places * nearlyFull
    ? [
        wrong(
          "store.connections",
          used,
          "raise max_connections, or lower STATE_STORE_CONNECTIONS or the number of instances",
        ),
      ]
    : [fine("store.connections", used)];
}
