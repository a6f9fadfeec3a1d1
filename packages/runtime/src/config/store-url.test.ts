import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { Type } from "typebox";
import { parseConfig, StateStoreUrl } from "./config.ts";
import { connectTimeoutOf, storeConnection, storeUrls } from "./store-url.ts";

const connectionsOf = (url: string) => storeUrls(url).map(storeConnection);

test.each<readonly [string, readonly object[]]>([
  ["postgres://u:p@a:5433/db", [{ host: "a", port: 5433, user: "u", password: "p" }]],
  ["postgresql://a", [{ host: "a", user: "" }]],
  ["postgres://u:p@/db?host=/cloudsql/p:r:i", [{ host: "/cloudsql/p:r:i", database: "db" }]],
  [
    "postgres:///db?host=/run/pg&user=u&password=p",
    [{ host: "/run/pg", user: "u", database: "db" }],
  ],
  ["postgres://u:p@localhost/db?host=/run/pg", [{ host: "/run/pg", user: "u", password: "p" }]],
  ["postgres://u:p@%2Frun%2Fpg/db", [{ host: "/run/pg", database: "db" }]],
  ["postgres://u:p@%2Frun%2Fpg:5433/db", [{ host: "/run/pg", port: 5433 }]],
  [
    "postgres://u@a:1,b:2/db",
    [
      { host: "a", port: 1 },
      { host: "b", port: 2 },
    ],
  ],
  [
    "postgres:///db?host=a,b&port=1,2",
    [
      { host: "a", port: 1 },
      { host: "b", port: 2 },
    ],
  ],
  [
    "postgres:///db?host=a,b&port=5433",
    [
      { host: "a", port: 5433 },
      { host: "b", port: 5433 },
    ],
  ],
  ["postgres:///?dbname=db&host=::1", [{ host: "::1", database: "db" }]],
  ["postgres://[::1],[fe80::2]:5/db", [{ host: "::1" }, { host: "fe80::2", port: 5 }]],
  ["postgres://u@ok/db?user=other&password=p", [{ user: "other", password: "p" }]],
  ["postgres:///db?user=u", [{ host: "localhost", database: "db" }]],
])("%s leads to %j", (url, places) => {
  expect(connectionsOf(url)).toEqual(places.map((place) => expect.objectContaining(place)));
});

const anyText = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => !/\p{Cc}/u.test(text) && text.isWellFormed());

test("whatever characters a user, a password, a database and a folder have, encoded they arrive as they are", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, anyText, (user, password, database, folder) => {
      fc.pre(!/^\.\.?$/.test(database));
      const [u, p, d] = [user, password, database].map(encodeURIComponent);
      const host = `/${folder.replaceAll(",", "")}`;
      const expected = { user, password, database };
      expect(connectionsOf(`postgres://${u}:${p}@a/${d}`)).toMatchObject([expected]);
      const socket = `postgres://${u}:${p}@/${d}?host=${encodeURIComponent(host)}`;
      expect(connectionsOf(socket)).toMatchObject([{ ...expected, host }]);
      expect(storeUrls(storeUrls(socket)[0])).toEqual(storeUrls(socket));
    }),
  );
});

test.each(["postgres://a/.", "postgres://a/%2E%2E", "postgres:///?dbname=.."])(
  "%s is refused: the driver would be led to another database",
  (url) => {
    expect(() => storeUrls(url)).toThrow(/^STATE_STORE_URL names a database of a dot or two/);
  },
);

test("what people copy from a managed pooler is understood", () => {
  const [url] = storeUrls(
    "postgres://u.x:p@pooler:6543/db?pgbouncer=true&sslmode=require&channel_binding=require",
  );
  expect(url).toContain("pooler=transaction");
  expect(storeConnection(url)).toMatchObject({ user: "u.x", enableChannelBinding: "true" });
  expect(storeUrls("postgres://h/db?pgbouncer=false")).toEqual(["postgres://h/db"]);
});

test("a blank of options may be written as a plus, as URL does, and a plus of a password is one", () => {
  const url = new URL("postgres://h/db?password=a+b");
  expect(storeConnection(storeUrls(url.href)[0])).toMatchObject({ password: "a+b" });
  url.searchParams.set("options", "-c role=holdfast_observer");
  expect(url.href).toContain("+role");
  const [canonical] = storeUrls(url.href);
  expect(storeConnection(canonical)).toMatchObject({ options: "-c role=holdfast_observer" });
});

test.each(["sslrootcert=system", "sslmode=verify-full&sslrootcert=system"])(
  "%s trusts the authorities of Node, and checks the certificate",
  (parameters) => {
    const { ssl } = storeConnection(storeUrls(`postgres://h/db?${parameters}`)[0]);
    expect([true, {}]).toContainEqual(ssl);
  },
);

test("connect_timeout is that of libpq, in seconds", () => {
  expect(connectTimeoutOf(storeUrls("postgres://h/db?connect_timeout=7")[0])).toBe(7_000);
  expect(connectTimeoutOf(storeUrls("postgres://h/db")[0])).toBeNull();
});

const nowhere = join(mkdtempSync(join(tmpdir(), "holdfast-")), "client.crt");

test.each([
  ["postgres://u:50%off@h/db", "has a password that must be encoded as in a URL: % is %25"],
  ["postgres://u:a#b@h/db", "has a user or a password that must be encoded"],
  ["postgres://u:a?b@h/db", "has a user or a password that must be encoded"],
  ["postgres://h/db?sslmod=require", "has the unknown parameter sslmod: Postgres has host, port"],
  ["postgres://h/db?schema=shop", "has the unknown parameter schema: Postgres has"],
  ["postgres://h/db?pooler=yes", "has a parameter pooler that must be transaction or session"],
  ["postgres://h/db?target_session_attrs=standby", "that must be read-write or primary"],
  ["postgres://h/db?connect_timeout=soon", "has a parameter connect_timeout that must be a whole"],
  [`postgres://h/db?sslcert=${nowhere}`, "names a sslcert that cannot be read: ENOENT"],
  ["mysql://h/db", "must be a Postgres URL such as postgres://user:password@host:5432/database"],
])("%s is refused: STATE_STORE_URL %s", (url, words) => {
  const Config = Type.Object({ STATE_STORE_URL: StateStoreUrl });
  const read = () => parseConfig(Config, { STATE_STORE_URL: url });
  expect(read).toThrow(expect.objectContaining({ code: "config.invalid" }));
  expect(read).toThrow(/^STATE_STORE_URL /);
  expect(read).toThrow(words);
});
