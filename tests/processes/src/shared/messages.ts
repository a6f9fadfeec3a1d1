/** A message from the parent to a process of several services. */
export type ToShared =
  | {
      readonly do: "start";
      /** The id by which it is meant from then on. */
      readonly id: number;
      /** `partners`, or a service of Holdfast. */
      readonly service: string;
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly do: "stop"; readonly id: number };

/** A message from such a process to its parent. */
export type FromShared =
  | { readonly id: number; readonly line: string }
  /** The end of a service, once it has stopped; with the reason, where it failed. */
  | { readonly id: number; readonly ended: string | null };
