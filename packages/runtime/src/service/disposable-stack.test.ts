import { expect, test } from "@jest/globals";
import { disposableStack } from "./disposable-stack.ts";

const resource = (name: string, released: string[]) => ({
  [Symbol.asyncDispose]: async () => void released.push(name),
});

test("a stack releases what it holds in reverse order, and only once", async () => {
  const released: string[] = [];
  const stack = disposableStack();
  stack.use(resource("first", released));
  stack.defer(() => void released.push("second"));
  stack.use({ [Symbol.dispose]: () => void released.push("third") });
  await stack.disposeAsync();
  await stack[Symbol.asyncDispose]();
  expect(released).toEqual(["third", "second", "first"]);
});

test("a stack that was moved releases nothing, and the new one releases everything", async () => {
  const released: string[] = [];
  const stack = disposableStack();
  stack.use(resource("held", released));
  const moved = stack.move();
  await stack.disposeAsync();
  expect(released).toEqual([]);
  await moved.disposeAsync();
  expect(released).toEqual(["held"]);
});

test("a part that cannot be released keeps no other from being released, and its fault is thrown", async () => {
  const released: string[] = [];
  const stack = disposableStack();
  stack.use(resource("first", released));
  stack.defer(() => Promise.reject(new Error("stuck")));
  await expect(stack.disposeAsync()).rejects.toThrow("stuck");
  expect(released).toEqual(["first"]);

  const worse = disposableStack();
  worse.defer(() => Promise.reject(new Error("one")));
  worse.defer(() => Promise.reject(new Error("two")));
  await expect(worse.disposeAsync()).rejects.toMatchObject({
    errors: [new Error("two"), new Error("one")],
  });
});

test("a stack waits for all that comes, and releases what came when another did not come", async () => {
  const released: string[] = [];
  const stack = disposableStack();
  const [one, two] = [resource("one", released), resource("two", released)];
  expect(await stack.useAll([Promise.resolve(one), Promise.resolve(two)])).toEqual([one, two]);
  const late = Promise.withResolvers<ReturnType<typeof resource>>();
  const coming = stack.useAll([Promise.reject(new Error("refused")), late.promise]);
  late.resolve(resource("three", released));
  await expect(coming).rejects.toThrow("refused");
  await stack.disposeAsync();
  expect(released).toEqual(["three", "two", "one"]);
});

test("a stack takes nothing more once it has been released or moved", async () => {
  const stack = disposableStack();
  const moved = stack.move();
  expect(() => stack.defer(() => {})).toThrow("released or moved");
  await moved.disposeAsync();
  expect(() => moved.use(resource("late", []))).toThrow("released or moved");
  expect(() => moved.move()).toThrow("released or moved");
});
