import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { classNames } from './class-names.ts';
import layout from './layout.module.css';
import styles from './link-rows.module.css';

/** A list of `LinkRow`s in a frame. */
export function LinkRows({ children }: { readonly children: ReactNode }) {
  return (
    <ul role="list" className={styles['rows']}>
      {children}
    </ul>
  );
}

export interface LinkRowProps {
  readonly to: string;
  /** The text of the link. The link covers the row, so that a click anywhere in the row follows the link. */
  readonly title: ReactNode;
  readonly lead?: ReactNode;
  /** Small text below the title. */
  readonly details: ReactNode;
  /** Content at the end of the row, such as badges or a button. */
  readonly aside?: ReactNode;
  readonly className?: string | undefined;
}

export function LinkRow({ to, title, lead, details, aside, className }: LinkRowProps) {
  return (
    <li className={classNames(styles['row'], className)}>
      <div>
        {lead}
        <Link to={to} className={classNames(layout['cover'], styles['link'])}>
          {title}
        </Link>
        <p>{details}</p>
      </div>
      {aside}
    </li>
  );
}
