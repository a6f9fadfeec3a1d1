import type { Dice } from "./dice.ts";

/**
 * Header fields that a client of ours would not send; all of them can be written by Node's client.
 */
export const hostileHeaders = (dice: Dice): Record<string, string> =>
  dice.pick<Record<string, string>>([
    {
      "content-type": dice.pick([
        "text/plain",
        "application/xml",
        "",
        "application/json;;",
        "a/b/c",
      ]),
    },
    {
      "content-type": `application/json; charset=${dice.pick(["utf-16", "latin1", "x".repeat(500)])}`,
    },
    { "content-encoding": dice.pick(["gzip", "br", "deflate", "x", "identity, gzip"]) },
    { host: dice.pick(["", "a".repeat(300), "evil.example:99999"]) },
    { accept: "application/xml;q=0.1, */*;q=".repeat(100) },
    { cookie: "x=".repeat(5_000) },
    { "x-large": "x".repeat(dice.pick([8_000, 20_000])) },
    { "x-forwarded-for": "1.1.1.1, ".repeat(200), forwarded: "for=_x" },
    { "idempotency-key": dice.pick(["\u00ff\u00fe", "x".repeat(255), "a,b"]) },
    { expect: dice.pick(["100-continue", "200-ok"]) },
    { upgrade: "h2c", connection: dice.pick(["upgrade", "upgrade, http2-settings", "x"]) },
    { range: "bytes=0-", "if-none-match": "*", "accept-encoding": "gzip;q=nan" },
    { "x-http-method-override": "DELETE", __proto__: "x" },
  ]);
