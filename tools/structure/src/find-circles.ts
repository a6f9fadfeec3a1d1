import type { Finding } from "./finding.ts";
import { packageOf, resolveImport, type Workspace } from "./workspace.ts";

/**
 * Finds modules, and packages, that import each other in a circle. Type-only imports count: they
 * tie two files together for a reader as much as any other import.
 */
export function findCircles(workspace: Workspace): readonly Finding[] {
  return [
    ...circlesIn(moduleGraph(workspace), "modules"),
    ...circlesIn(packageGraph(workspace), "packages"),
  ];
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function moduleGraph(workspace: Workspace): Graph {
  return new Map(
    workspace.modules.map(({ path, imports }) => [
      path,
      new Set(imports.flatMap(({ specifier }) => resolveImport(workspace, path, specifier) ?? [])),
    ]),
  );
}

/** Tests are left out: a package's tests may use a package that depends on it. */
function packageGraph(workspace: Workspace): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of workspace.modules) {
    const from = packageOf(workspace, path)?.folder;
    if (from === undefined || path.endsWith(".test.ts") || path.includes("/test/")) continue;
    const targets = imports.flatMap(({ specifier }) => {
      const target = resolveImport(workspace, path, specifier);
      const folder = target === null ? null : packageOf(workspace, target)?.folder;
      return folder == null || folder === from ? [] : [folder];
    });
    graph.set(from, new Set([...(graph.get(from) ?? []), ...targets]));
  }
  return graph;
}

function circlesIn(graph: Graph, what: string): readonly Finding[] {
  return stronglyConnected(graph)
    .map((members) => members.toSorted())
    .map((members) => ({
      rule: "circle",
      subject: members.join(" "),
      message: `${what} import each other in a circle: ${members.join(", ")}`,
    }));
}

/**
 * Returns the groups of nodes that reach each other, by Tarjan's algorithm. A node alone is a group
 * only when it leads to itself.
 */
function stronglyConnected(
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
