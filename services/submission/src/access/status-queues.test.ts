import { expect, test } from "@jest/globals";
import type { AnonymousPermission } from "./access.ts";
import { statusQueueOwners, statusWordsPattern } from "./status-queues.ts";

const nothing: ReadonlySet<AnonymousPermission> = new Set();
const owns = statusQueueOwners("operations=*,billing=invoices", nothing);

test.each([
  ["shop", "status.shop"],
  ["shop", "status.shop.eu"],
  ["shop.eu", "status.shop.eu"],
  ["billing", "status.invoices"],
  ["billing", "status.invoices.late"],
  ["operations", "status.shop"],
])("the broker user %s owns the queue %s", (user, queue) => {
  expect(owns(user, queue)).toBe(true);
});

test.each([
  ["shop", "status.shopping"],
  ["shop", "status.billing"],
  ["shop.eu", "status.shop"],
  ["billing", "status.billing"],
  ["s.*", "status.shop"],
  ["", "status.shop"],
  [undefined, "status.shop"],
  [undefined, "status.undefined"],
])("the broker user %s does not own the queue %s", (user, queue) => {
  expect(owns(user, queue)).toBe(false);
});

test("every message may name any status queue where ANONYMOUS_MAY says reply-to", () => {
  const all = statusQueueOwners("operations=*", new Set<AnonymousPermission>(["reply-to"]));
  expect(all(undefined, "status.shop")).toBe(true);
  expect(all("billing", "status.shop")).toBe(true);
});

test.each(["", "shop", "shop=", "=x", "shop=a.b", "shop=a,", "shop=a;b=c", "shop=a=b"])(
  "STATUS_WORDS cannot be %j",
  (setting) => {
    expect(setting).not.toMatch(new RegExp(statusWordsPattern));
  },
);
