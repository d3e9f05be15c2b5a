import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './data-table.module.css';

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  readonly className?: string | undefined;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly getKey: (row: Row) => string;
  /** The index of the column that contains the row headers. */
  readonly headColumn?: number;
  readonly isCurrent?: (row: Row) => boolean;
  readonly foot?: ReactNode;
  /**
   * The style of the table. `framed` draws a frame, `plain` is for a table inside a card, and `none` applies only
   * `className`.
   */
  readonly variant?: 'framed' | 'plain' | 'none';
  readonly className?: string | undefined;
  /**
   * True if each row is one line. Long texts end with an ellipsis, and the last column stays in view while the table
   * scrolls.
   */
  readonly isOneLine?: boolean;
}

/** A table that scrolls horizontally if it is too wide. It can also be scrolled with the keyboard. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    getKey,
    headColumn = 0,
    isCurrent,
    foot,
    variant = 'framed',
    className,
    isOneLine,
  } = props;
  return (
    <div
      className={classNames(variant !== 'none' && styles[variant], isOneLine && styles['oneLine'], className)}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            {columns.map(({ head }, index) => (
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={getKey(row)} aria-current={isCurrent?.(row) ? 'true' : undefined}>
              {columns.map(({ cell, className: cellClass }, index) =>
                index === headColumn ? (
                  <th key={index} scope="row" className={cellClass}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={index} className={cellClass}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {foot != null && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}
