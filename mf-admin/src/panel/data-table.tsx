import type { ReactNode } from 'react';

export interface DataTableProps {
  /** What it lists: the name of the region that scrolls. */
  readonly label: string;
  /** What stands above each column. */
  readonly columns: readonly string[];
  /** How it looks: a class of what scrolls, whose style sheet says the rest. */
  readonly className: string | undefined;
  /** The rows. */
  readonly children: ReactNode;
}

/** A table that scrolls sideways where it does not fit, by keyboard as well. */
export function DataTable({ label, columns, className, children }: DataTableProps) {
  return (
    <div className={className} role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
