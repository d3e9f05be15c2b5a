import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import styles from './list.module.css';

/** Shows the number of items in a list. Screen readers announce each change of the number. */
export function Count({ children }: { readonly children: ReactNode }) {
  return (
    <p className={styles['count']} role="status">
      {children}
    </p>
  );
}

export interface NameCellProps {
  /** Path of the page to which the name links. Without a path, the name is not a link. */
  readonly to?: string;
  readonly name: string;
  readonly detail: string | null;
}

/** A table cell with a name, and a detail below the name. */
export function NameCell({ to, name, detail }: NameCellProps) {
  return (
    <>
      {to === undefined ? name : <Link to={to}>{name}</Link>}
      {detail !== null && <span>{detail}</span>}
    </>
  );
}

/** Badges in a cell of a table. */
export function Badges({ children }: { readonly children: ReactNode }) {
  return <span className={styles['badges']}>{children}</span>;
}

/** Buttons in a cell of a table. */
export function RowActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles['actions']}>{children}</div>;
}
