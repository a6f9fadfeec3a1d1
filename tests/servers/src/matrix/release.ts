/** One release of a server, on this machine's disk. */
export interface Release {
  readonly name: string;
  /**
   * What a run of the tests is given so that it uses this release; nothing for the one of this
   * machine.
   */
  readonly variables: Readonly<Record<string, string>>;
}
