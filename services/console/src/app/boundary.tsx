import { Component, type ReactNode } from "react";

interface Props {
  readonly children: ReactNode;
}

/** Shows what went wrong in place of an empty page. React takes a class for this only. */
export class Boundary extends Component<Props, { readonly error: Error | null }> {
  override readonly state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <section className="note note-error" role="alert">
        <h1>The page failed</h1>
        <p>{error.message}</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </section>
    );
  }
}
