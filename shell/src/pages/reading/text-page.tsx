import { Page, PageHeading, useLocale } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { useText } from '../text.ts';
import styles from './text-page.module.css';

export interface Section {
  /** Its place in the address, e.g. `help` for `/about#help`. */
  readonly id: string;
  readonly title: string;
  readonly body: ReactNode;
}

interface TextPageProps {
  readonly title: string;
  readonly intro: ReactNode;
  /** The day it was last changed, ISO 8601. */
  readonly changed?: string;
  /** What stands before the sections. */
  readonly children?: ReactNode;
  readonly sections: readonly Section[];
}

/** From so many sections on, a page has a table of contents. */
const LONG = 4;

/** A page to read. */
export function TextPage({ title, intro, changed, children, sections }: TextPageProps) {
  const isLong = sections.length >= LONG;
  return (
    <Page className={isLong ? styles['withContents'] : styles['plain']}>
      <header className={styles['head']}>
        <PageHeading documentTitle={title} className={styles['title']}>
          {title}
        </PageHeading>
        <p className={styles['intro']}>{intro}</p>
        {changed !== undefined && <Changed on={changed} />}
      </header>
      {isLong && <Contents sections={sections} />}
      <div className={styles['text']}>
        {children}
        {sections.map(({ id, title: heading, body }) => (
          <section key={id} aria-labelledby={id}>
            <h2 id={id}>{heading}</h2>
            {body}
          </section>
        ))}
      </div>
    </Page>
  );
}

function Contents({ sections }: { readonly sections: readonly Section[] }) {
  const t = useText();
  return (
    <nav className={styles['contents']} aria-label={t('text.contents')}>
      <p aria-hidden="true">{t('text.contents')}</p>
      <ul role="list">
        {sections.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Changed({ on }: { readonly on: string }) {
  const t = useText();
  const locale = useLocale();
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(on));
  return <p className={styles['changed']}>{t('text.changed', { date })}</p>;
}
