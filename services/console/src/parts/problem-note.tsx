import { ProblemFault } from "../api/faults.ts";

/** Why something was refused or failed, in the words of the service, with its stable code. */
export function ProblemNote({ error }: { readonly error: unknown }) {
  const text = error instanceof Error ? error.message : String(error);
  const errors = error instanceof ProblemFault ? (error.problem.errors ?? []) : [];
  return (
    <div className="note note-error" role="alert">
      <p>{text}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ pointer, detail }) => (
            <li key={`${pointer} ${detail}`}>
              <code>{pointer === "" ? "/" : pointer}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      {error instanceof ProblemFault && (
        <p className="note-code">
          {error.status} <code>{error.code}</code>
        </p>
      )}
    </div>
  );
}
