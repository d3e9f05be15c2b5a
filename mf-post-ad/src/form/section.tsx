import { useId, type ReactNode } from 'react';
import styles from './section.module.css';

/** A section of the form with a heading. */
export function Section(props: { readonly title: string; readonly lead?: string; readonly children: ReactNode }) {
  const { title, lead, children } = props;
  const id = useId();
  return (
    <section className={styles['section']} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p>{lead}</p>}
      {children}
    </section>
  );
}
