import { CopyButton } from "./copy-button.tsx";

/** A line for the shell, to copy. */
export function CommandLine({ name, line }: { readonly name: string; readonly line: string }) {
  return (
    <div className="command">
      <span className="command-name">{name}</span>
      <code>{line}</code>
      <CopyButton text={line} label={`Copy the ${name} line`} />
    </div>
  );
}
