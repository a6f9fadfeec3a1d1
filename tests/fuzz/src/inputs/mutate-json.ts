import type { Dice } from "./dice.ts";
import {
  hostileArray,
  hostileDepth,
  hostileKeys,
  hostileNumber,
  hostileOther,
  hostileString,
  hostileText,
} from "./hostile-values.ts";
import { type Fields, type JsonTree, type Place, placesOf, textOf, treeOf } from "./json-tree.ts";

/** JSON that was changed, and what was done to it. */
export interface Mutated {
  readonly text: string;
  readonly changes: readonly string[];
}

type Mutation = (place: Place, dice: Dice, places: readonly Place[]) => void;

interface Weighted {
  readonly name: string;
  readonly weight: number;
  readonly act: Mutation;
}

const leaf = (text: string): JsonTree => ({ text });

/** Mutations by name, with how often each is chosen beside the others. */
const mutations: readonly Weighted[] = [
  { name: "number", weight: 8, act: ({ replace }, dice) => replace(leaf(hostileNumber(dice))) },
  { name: "text", weight: 8, act: ({ replace }, dice) => replace(leaf(hostileText(dice))) },
  { name: "other type", weight: 6, act: ({ replace }, dice) => replace(leaf(hostileOther(dice))) },
  {
    name: "long string",
    weight: 3,
    act: ({ replace }, dice) => replace(leaf(hostileString(dice))),
  },
  { name: "long array", weight: 2, act: ({ replace }, dice) => replace(leaf(hostileArray(dice))) },
  { name: "depth", weight: 2, act: ({ replace }, dice) => replace(leaf(hostileDepth(dice))) },
  {
    name: "other place's value",
    weight: 3,
    act: ({ replace }, dice, places) => replace(structuredClone(dice.pick(places).value)),
  },
  {
    name: "missing",
    weight: 4,
    act: ({ parent, index }) => {
      if (parent === null) return;
      ("items" in parent ? parent.items : parent.fields).splice(index, 1);
    },
  },
  {
    name: "twice",
    weight: 3,
    act: ({ parent, index }, dice) => {
      if (parent === null) return;
      if ("items" in parent) {
        const item = parent.items[index];
        if (item !== undefined) parent.items.push(item);
        return;
      }
      const key = parent.fields[index]?.[0];
      if (key !== undefined) parent.fields.push([key, leaf(hostileText(dice))]);
    },
  },
  {
    name: "added key",
    weight: 4,
    act: (place, dice, places) => addKey(place, places, dice, hostileOther(dice)),
  },
  {
    name: "added depth",
    weight: 3,
    act: (place, dice, places) => addKey(place, places, dice, hostileDepth(dice)),
  },
];

function addKey(place: Place, places: readonly Place[], dice: Dice, text: string): void {
  const objects = places.flatMap(({ value }) => ("fields" in value ? [value] : []));
  const target: Fields = objects.length > 0 ? dice.pick(objects) : { fields: [] };
  target.fields.push([dice.pick(hostileKeys), leaf(text)]);
  if (objects.length === 0) place.replace(target);
}

const lots = mutations.flatMap((mutation) =>
  Array.from({ length: mutation.weight }, () => mutation),
);

/** Changes valid JSON in one to three places: it stays as good as valid, so that it gets far. */
export function mutateJson(json: unknown, dice: Dice): Mutated {
  const root = { tree: treeOf(json) };
  const changes: string[] = [];
  for (let left = dice.pick([1, 1, 1, 2, 3]); left > 0; left -= 1) {
    const places = placesOf(root);
    const { name, act } = dice.pick(lots);
    act(dice.pick(places), dice, places);
    changes.push(name);
  }
  return { text: textOf(root.tree), changes };
}
