import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import styles from './link-chips.module.css';

export interface LinkChipsProps {
  readonly label: string;
  readonly links: readonly { readonly to: string; readonly words: ReactNode; readonly isCurrent: boolean }[];
}

/** The parts of a list, one of which is shown: each has an address of its own. */
export function LinkChips({ label, links }: LinkChipsProps) {
  return (
    <nav aria-label={label} className={styles['chips']}>
      <ul role="list">
        {links.map(({ to, words, isCurrent }) => (
          <li key={to}>
            <Link to={to} aria-current={isCurrent ? 'page' : undefined}>
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
