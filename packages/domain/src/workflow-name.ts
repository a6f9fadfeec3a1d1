const version = "\\.v[1-9][0-9]{0,5}$";

/** The pattern of names of workflows as they are stored, with their version: `fulfil-order.v1`. */
export const workflowNamePattern = `^[a-zA-Z0-9][a-zA-Z0-9._-]{0,90}${version}`;

const ending = new RegExp(version);

/** The name of a workflow without its version. */
export const familyOf = (name: string): string => name.replace(ending, "");
