/** The pages that are measured: those with which one begins, and the one of the newest task. */
export const pageNames = ["overview", "tasks", "a task", "failures", "agents", "system"] as const;
export type PageName = (typeof pageNames)[number];

/** The path of each page below `/console`. */
export const pathsFor = (taskId: string): Readonly<Record<PageName, string>> => ({
  overview: "/",
  tasks: "/tasks",
  "a task": `/tasks/${taskId}`,
  failures: "/failures",
  agents: "/agents",
  system: "/system",
});

/** The figures of one opening of a page by a browser that has nothing of it yet. */
export interface PageFigures {
  /** Milliseconds until something is painted, and until the data is drawn and the page answers. */
  readonly paintMs: number;
  readonly interactiveMs: number;
  /** Milliseconds in which tasks of more than 50 ms kept the page from answering. */
  readonly blockedMs: number;
  readonly requests: number;
}
