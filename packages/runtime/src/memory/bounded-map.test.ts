import { expect, test } from "@jest/globals";
import { boundedMap } from "./bounded-map.ts";

test("what came first leaves when there is no room, and what is set anew counts once", () => {
  const map = boundedMap<string, number>(10);
  map.set("a", 1, 4);
  map.set("b", 2, 4);
  map.set("a", 3, 6);
  expect([map.get("a"), map.get("b")]).toEqual([3, 2]);
  map.set("c", 4, 1);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4]);
});

test("what is larger than the whole is kept, and everything else leaves", () => {
  const map = boundedMap<string, number>(10);
  map.set("a", 1, 4);
  map.set("b", 2, 40);
  expect([map.get("a"), map.get("b")]).toEqual([undefined, 2]);
  map.set("c", 3, 4);
  expect([map.get("b"), map.get("c")]).toEqual([undefined, 3]);
});
