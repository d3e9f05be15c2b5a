import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Names and what they are, below each other. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, what: ReactNode])[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, what]) => (
        <div key={name} className={styles['fact']}>
          <dt>{name}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
