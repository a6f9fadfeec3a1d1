import type { ReactNode } from "react";

/** What stands where there is nothing to show: why, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}
