/**
 * Returns the groups of nodes that reach each other, by Tarjan's algorithm. A node alone is a group
 * only when it leads to itself.
 */
export function stronglyConnected(
  graph: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];

  const visit = (node: string): number => {
    const number = index.size;
    index.set(node, number);
    let lowest = number;
    stack.push(node);
    for (const target of graph.get(node) ?? []) {
      if (!index.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, index.get(target) ?? lowest);
    }
    if (lowest === number) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1 || graph.get(node)?.has(node)) groups.push(group);
    }
    return lowest;
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return groups;
}
