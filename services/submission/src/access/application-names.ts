import type { EnqueuedSubmission } from "@holdfast/state-store";

const prefix = "application:";

/** What the name of a schedule begins with, where it enqueues its own submissions. */
const schedulePrefix = "schedule:";

/**
 * The name under which the history keeps who enqueued a submission: the login, and what its
 * application calls itself. No process and no operator has a name that begins like it.
 */
export const applicationName = ({
  submitter,
  application,
}: Pick<EnqueuedSubmission, "submitter" | "application">): string => {
  if (submitter.startsWith(schedulePrefix)) return submitter;
  return application === null ? `${prefix}${submitter}` : `${prefix}${submitter} (${application})`;
};

/**
 * The id of who enqueued a submission: the login alone, since a connection may be called anything.
 */
export const loginName = ({ submitter }: Pick<EnqueuedSubmission, "submitter">): string =>
  applicationName({ submitter, application: null });

export const isApplicationName = (name: string): boolean => name.startsWith(prefix);
