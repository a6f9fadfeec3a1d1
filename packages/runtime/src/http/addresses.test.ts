import { expect, test } from "@jest/globals";
import { addressBlock, callerAddress, isLoopback, plainAddress, readProxies } from "./addresses.ts";

test.each([
  ["10.1.2.3", "10.1.2.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
  ["2001:0db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["no address", "no address"],
])("limits count %s as %s", (address, block) => {
  expect(addressBlock(address)).toBe(block);
});

test.each([
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["10.1.2.3:4711", "10.1.2.3"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  [" 10.1.2.3 ", "10.1.2.3"],
])("the address in %p is %s", (text, address) => {
  expect(plainAddress(text)).toBe(address);
});

test.each([
  ["a client that connects itself is not believed", "203.0.113.9", "10.9.9.9", "203.0.113.9"],
  ["a trusted proxy names its client", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["what a client wrote itself is not believed", "10.0.0.1", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["a chain of trusted proxies is followed", "10.0.0.1", "203.0.113.9, 10.0.0.2", "203.0.113.9"],
  ["garbage is no address", "10.0.0.1", "unknown, 10.0.0.2", "10.0.0.2"],
  ["a proxy that names none is the client", "::ffff:10.0.0.1", undefined, "10.0.0.1"],
])("%s", (_, peer, forwarded, address) => {
  expect(callerAddress(peer, forwarded, readProxies("10.0.0.0/8, loopback"))).toBe(address);
});

test("several headers of proxies are one list", () => {
  const forwarded = ["203.0.113.9", "10.0.0.2"];
  expect(callerAddress("::1", forwarded, readProxies("uniquelocal,loopback"))).toBe("203.0.113.9");
});

test.each(["proxy.example", "10.0.0.0/33", "10.0.0.0/x", "::/129", "10.0.0/8"])(
  "%s is refused as a trusted proxy",
  (list) => {
    expect(() => readProxies(list)).toThrow(/^TRUSTED_PROXIES: /);
  },
);

test.each([
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["::1", true],
  ["[::1]", true],
  ["::ffff:127.0.0.1", true],
  ["LocalHost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["127.example", false],
  ["localhost.example", false],
  ["", false],
])("whether only this host reaches %s is %p", (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
