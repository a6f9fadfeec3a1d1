import type { ReactNode } from "react";

export interface TableColumn<T> {
  /** Its class is `col-<id>`. */
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Stands at the right, digits below digits. */
  readonly isNumber?: boolean;
  /** Wraps instead of being cut. */
  readonly isText?: boolean;
}

interface Props<T> {
  /** The class of the table, by which its columns have their widths. */
  readonly name: string;
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly TableColumn<T>[];
  readonly keyOf: (row: T) => string;
}

/**
 * A table of some hundred rows at most. Columns have fixed widths: no text of a row moves another.
 */
export function DataTable<T>({ name, label, rows, columns, keyOf }: Props<T>) {
  return (
    <div className="table-wrap" tabIndex={0} role="region" aria-label={label}>
      <table className={`table table-${name}`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.id} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const classOf = <T,>({ id, isNumber, isText }: TableColumn<T>): string =>
  [`col-${id}`, isNumber === true && "col-number", isText === true && "col-text"]
    .filter(Boolean)
    .join(" ");
