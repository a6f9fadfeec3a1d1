import { type ReactNode, useId } from "react";

interface Props {
  readonly title: string;
  /** What stands beside the title, such as a count. */
  readonly note?: ReactNode;
  /** What stands at the end of the head, such as buttons. */
  readonly end?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with its title. */
export function Section({ title, note, end, children }: Props) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <header className="card-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span className="muted">{note}</span>}
        {end !== undefined && <div className="end buttons">{end}</div>}
      </header>
      {children}
    </section>
  );
}
