import type { ReactNode } from "react";
import type { ListedTask } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { lookOf, taskLooks } from "../../parts/state-looks.ts";
import { Time } from "../../parts/time.tsx";

interface Column {
  readonly id: string;
  readonly header: string;
  readonly cell: (task: ListedTask) => ReactNode;
}

const text = (value: string | null): ReactNode =>
  value === null || value === "" ? (
    <span className="muted">–</span>
  ) : (
    <span title={value}>{value}</span>
  );

/** What the list says of each task. Plain: a table model of a hundred thousand rows would be made anew each second. */
export const columns: readonly Column[] = [
  {
    id: "id",
    header: "Task",
    cell: ({ id }) => (
      <Link to={taskPath(id)} className="mono" title={id}>
        {shortId(id)}
      </Link>
    ),
  },
  { id: "workflow", header: "Workflow", cell: ({ workflow }) => text(workflow) },
  {
    id: "state",
    header: "State",
    cell: ({ state, paused }) => (
      <>
        <Badge look={lookOf(taskLooks, state)} />
        {paused && <Icon name="pause" className="tone-warn" />}
      </>
    ),
  },
  { id: "key", header: "Key", cell: ({ key }) => text(key) },
  {
    id: "faultCode",
    header: "Fault code",
    cell: ({ faultCode }) => <code>{text(faultCode)}</code>,
  },
  {
    id: "correlationId",
    header: "Correlation id",
    cell: ({ correlationId }) => text(correlationId),
  },
  {
    id: "updatedAt",
    header: "Moved",
    cell: ({ updatedAt }) => <Time at={updatedAt} form="age" />,
  },
  {
    id: "createdAt",
    header: "Age",
    cell: ({ createdAt }) => <Time at={createdAt} form="age" />,
  },
];
