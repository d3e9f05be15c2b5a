import type { ReactNode } from 'react';
import { Card } from '@alpenglow/ui';
import styles from './case-page.module.css';

export interface CaseSectionProps {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** A card with one section of the page of a moderation case. `id` is the HTML id of the heading in the card. */
export function CaseSection({ id, title, children }: CaseSectionProps) {
  return (
    <Card>
      <section className={styles['section']} aria-labelledby={id}>
        <h2 id={id}>{title}</h2>
        {children}
      </section>
    </Card>
  );
}
