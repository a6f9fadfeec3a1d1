/** Debian's own Python, which finds what apt installs; another one may come first in PATH. */
export declare const python = "/usr/bin/python3";
/** Installs what the Agents in other languages need. Resolves to why they cannot run here; null: they can. */
export declare function whyNotRun(): Promise<string | null>;
//# sourceMappingURL=programs.d.ts.map
