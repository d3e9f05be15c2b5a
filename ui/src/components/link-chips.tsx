import type { ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router-dom';
import { classNames } from './class-names.ts';
import styles from './link-chips.module.css';

/** A row of links that are shown as chips. The links wrap to further lines if they do not fit into one line. */
export function Chips({ children }: { readonly children: ReactNode }) {
  return (
    <ul role="list" className={styles['chips']}>
      {children}
    </ul>
  );
}

/** A link in a `Chips` row. The link to the current page or filter has `aria-current`. */
export function ChipLink({ className, ...rest }: LinkProps) {
  return (
    <li>
      <Link {...rest} className={classNames(styles['chip'], className)} />
    </li>
  );
}

export interface LinkChipsProps {
  readonly label: string;
  readonly links: readonly { readonly to: string; readonly label: ReactNode; readonly isCurrent: boolean }[];
}

/** Navigation between the parts of a list. Each part has its own URL and is shown as a chip. */
export function LinkChips({ label, links }: LinkChipsProps) {
  return (
    <nav aria-label={label} className={styles['nav']}>
      <Chips>
        {links.map((link) => (
          <ChipLink key={link.to} to={link.to} aria-current={link.isCurrent ? 'page' : undefined}>
            {link.label}
          </ChipLink>
        ))}
      </Chips>
    </nav>
  );
}
