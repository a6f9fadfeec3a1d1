import { expect, test } from "@jest/globals";
import {
  anonymousMayPattern,
  anonymousPermissions,
  openAccess,
  readAnonymousMay,
} from "./access.ts";

const asking = (authorization?: string) => ({
  headers: authorization === undefined ? {} : { authorization },
});

test("strangers may ask for all on loopback, for nothing elsewhere, and everywhere for what is named", () => {
  const all = Object.keys(anonymousPermissions);
  for (const host of ["127.0.0.1", "::1", "localhost"]) {
    expect([...readAnonymousMay(undefined, host)]).toEqual(all);
  }
  for (const host of ["0.0.0.0", "::", "10.0.0.7", "holdfast.example"]) {
    expect([...readAnonymousMay(undefined, host)]).toEqual([]);
  }
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    expect([...readAnonymousMay("none", host)]).toEqual([]);
    expect([...readAnonymousMay("reply-to,urgent", host)]).toEqual(["urgent", "reply-to"]);
  }
});

test.each(["", "all", "urgent,", "urgent,none", "none,urgent", "Urgent", "urgent, weight"])(
  "ANONYMOUS_MAY cannot be %j",
  (setting) => {
    expect(setting).not.toMatch(new RegExp(anonymousMayPattern));
  },
);

test("a refusal names the permission, the token and the setting", () => {
  const access = openAccess({
    gate: {
      isOperator: ({ authorization }) => authorization === "Bearer token",
      identify: async () => null,
      recognize: async () => null,
      hasPrincipals: false,
    },
    anonymousMay: new Set(),
    readTasks: "anyone",
  });
  expect(() => access.mustBeAllowed(asking(), "reply-to")).toThrow(
    /reply-to\).*Authorization: Bearer.*ANONYMOUS_MAY of this service name reply-to/,
  );
  expect(() => access.mustBeAllowed(asking("Bearer token"), "reply-to")).not.toThrow();
});
