import type { EnqueuedSubmission } from "@holdfast/state-store";

const prefix = "application:";

/**
 * The name under which the history keeps who enqueued a submission: the login, and what its
 * application calls itself. No process and no operator has a name that begins like it.
 */
export const applicationName = ({
  submitter,
  application,
}: Pick<EnqueuedSubmission, "submitter" | "application">): string =>
  application === null ? `${prefix}${submitter}` : `${prefix}${submitter} (${application})`;

export const isApplicationName = (name: string): boolean => name.startsWith(prefix);
