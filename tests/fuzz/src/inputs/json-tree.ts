/**
 * JSON as it is written rather than as it is read: a key may come twice, and a leaf is any text at
 * all, such as `1e400`.
 */
export type JsonTree = Leaf | List | Fields;

interface Leaf {
  text: string;
}

interface List {
  items: JsonTree[];
}

export interface Fields {
  /** The key as it is written, quotes included, and its value. */
  fields: [key: string, value: JsonTree][];
}

export function treeOf(json: unknown): JsonTree {
  if (Array.isArray(json)) return { items: json.map(treeOf) };
  if (typeof json !== "object" || json === null) return { text: JSON.stringify(json) };
  return {
    fields: Object.entries(json).map(([key, value]) => [JSON.stringify(key), treeOf(value)]),
  };
}

export function textOf(tree: JsonTree): string {
  if ("text" in tree) return tree.text;
  if ("items" in tree) return `[${tree.items.map(textOf).join(",")}]`;
  return `{${tree.fields.map(([key, value]) => `${key}:${textOf(value)}`).join(",")}}`;
}

/** A place in a tree, and how to change it. */
export interface Place {
  readonly value: JsonTree;
  readonly replace: (value: JsonTree) => void;
  /** What the place is in; null for the root. */
  readonly parent: List | Fields | null;
  readonly index: number;
}

/** Every place in the tree; the root first. */
export function placesOf(root: { tree: JsonTree }): readonly Place[] {
  const places: Place[] = [];
  const visit = (place: Place): void => {
    places.push(place);
    const { value } = place;
    if ("items" in value) {
      value.items.forEach((item, index) =>
        visit({
          value: item,
          parent: value,
          index,
          replace: (changed) => void (value.items[index] = changed),
        }),
      );
    } else if ("fields" in value) {
      value.fields.forEach((field, index) =>
        visit({
          value: field[1],
          parent: value,
          index,
          replace: (changed) => void (field[1] = changed),
        }),
      );
    }
  };
  visit({
    value: root.tree,
    parent: null,
    index: 0,
    replace: (changed) => void (root.tree = changed),
  });
  return places;
}
