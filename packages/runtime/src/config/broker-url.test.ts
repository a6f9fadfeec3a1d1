import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { readBrokerUrl, readManagementUrl } from "./broker-url.ts";

const faultOf = (read: () => unknown): string => {
  try {
    read();
    return "";
  } catch (error) {
    expect(error).toMatchObject({ code: "config.invalid" });
    return (error as Error).message;
  }
};

/** Any text that a server may give as a name or a password: printable, reserved or foreign. */
const anyText = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => !/\p{Cc}/u.test(text) && text.isWellFormed());

test("whatever characters a user, a password and a virtual host have, encoded they arrive as they are", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (user, password, vhost) => {
      const [u, p, v] = [user, password, vhost].map(encodeURIComponent);
      const read = readBrokerUrl(`amqp://${u}:${p}@a:5673,[::1]/${v}?heartbeat=7`);
      expect(read).toMatchObject({
        user,
        password,
        vhost,
        heartbeat: 7,
        nodes: [
          { host: "a", port: 5673 },
          { host: "::1", port: null },
        ],
      });
    }),
  );
});

test("a password with a reserved character as it is is refused with what to write, or read as it is", () => {
  const reserved = fc.constantFrom("%", "#", "/", "?", "@", ":", "+", "&", "=", ";", "!", "$", "~");
  const passwords = fc.array(fc.oneof(reserved, fc.constantFrom("a", "Z", "0")), { minLength: 1 });
  fc.assert(
    fc.property(passwords, (characters) => {
      const password = `s${characters.join("")}t`;
      const url = `amqp://scheduler:${password}@rabbit/v`;
      const fault = faultOf(() => readBrokerUrl(url));
      if (fault === "") {
        const read = readBrokerUrl(url).password ?? "";
        // What is written as an escape is one.
        expect(read).toBe(/%[0-9a-f]{2}/i.test(password) ? decodeURIComponent(password) : password);
      } else {
        expect(fault).toMatch(
          /^BROKER_URL has .* that must be encoded as in a URL: % is %25|UTF-8/,
        );
        expect(fault).not.toContain(password);
      }
    }),
  );
});

test.each([
  ["amqp://h", "/"],
  ["amqp://h/", "/"],
  ["amqp://h/%2F", "/"],
  ["amqp://h/%2Fprod%2Feu", "/prod/eu"],
  ["amqp://h//prod/eu", "/prod/eu"],
  ["amqps://h/shop", "shop"],
])("%s leads to the virtual host %s", (url, vhost) => {
  expect(readBrokerUrl(url).vhost).toBe(vhost);
});

test.each([
  ["amqp://scheduler:50%off@h/v", "has a password that must be encoded as in a URL: % is %25"],
  ["amqp://u:a#b@h/v", "has a user or a password that must be encoded as in a URL"],
  ["amqp://u:a/b@h/v", "has a user or a password that must be encoded as in a URL"],
  ["amqp://u:a@b/c@h/v", "has a user, a password or another part that must be encoded"],
  ["amqp://u:p@h/100%", "has a path that must be encoded as in a URL"],
  ["amqp://u:p@h/v?hearbeat=10", "has the unknown parameter hearbeat: RabbitMQ has heartbeat, "],
  ["amqp://h/v?heartbeat=abc", "has a parameter heartbeat that must be a whole number from 0"],
  ["amqp://h/v?heartbeat=1&heartbeat=2", "has the parameter heartbeat twice"],
  ["amqp://h/v?cacertfile=/c/ca.pem", "has the parameter cacertfile, which needs amqps://"],
  ["amqps://h/v?auth_mechanism=external", "has auth_mechanism=external, which needs certfile"],
  ["amqps://h/v?auth_mechanism=gssapi", "has a parameter auth_mechanism that must be plain or"],
  ["amqps://h/v?keyfile=/c/key.pem", "has the parameter keyfile, which needs certfile"],
  ["amqp:///v", "must be a RabbitMQ URL such as amqp://user:password@host:5672/vhost: it names no"],
  ["amqp://u:secret", "must be a RabbitMQ URL such as"],
  ["amqp://::1/v", "IPv6 addresses stand in brackets"],
  ["amqp://u:p q@h/v", "a blank in it is written as %20"],
  ["amqp://h:99999/v", "its host or its port cannot be read"],
])("%s: BROKER_URL %s", (url, words) => {
  const fault = faultOf(() => readBrokerUrl(url));
  expect(fault).toMatch(/^BROKER_URL /);
  expect(fault).toContain(words);
  expect(fault).not.toMatch(/secret|off/);
});

test("parameters of RabbitMQ's own clients say how to connect", () => {
  const files = "cacertfile=/c/ca.pem&certfile=/c/agent.pem&keyfile=/c/agent.key&password=a%26b";
  const rest = "auth_mechanism=EXTERNAL&verify=verify_none&server_name_indication=rabbit.example";
  const numbers = "heartbeat=10&connection_timeout=3000&channel_max=100&frame_max=8192";
  expect(readBrokerUrl(`amqps://h:5671/v?${files}&${rest}&${numbers}`)).toMatchObject({
    isEncrypted: true,
    user: null,
    mechanism: "external",
    heartbeat: 10,
    connectionTimeout: 3_000,
    channelMax: 100,
    frameMax: 8_192,
    tls: {
      cacertfile: "/c/ca.pem",
      certfile: "/c/agent.pem",
      keyfile: "/c/agent.key",
      passphrase: "a&b",
      isVerified: false,
      serverName: "rabbit.example",
    },
  });
});

test.each([
  ["http://u:p%40ss@h:15672", { user: "u", password: "p@ss", base: "http://h:15672" }],
  ["https://u:p@h/rabbit/", { user: "u", password: "p", base: "https://h/rabbit" }],
  ["http://[::1]:15672/a%2Fb/c", { base: "http://[::1]:15672/a%2Fb/c".replace("%2F", "/") }],
])("%s is the HTTP API at that path", (url, read) => {
  expect(readManagementUrl(url)).toMatchObject(read);
});

test.each(["ftp://h", "http://a,b", "http://u:50%off@h", "http://u:p@h?x=1", "h:15672"])(
  "%s is refused for the HTTP API",
  (url) => {
    expect(faultOf(() => readManagementUrl(url))).toMatch(/^BROKER_MANAGEMENT_URL (must be|has) /);
  },
);
