import { layout, Page, PageHeading, useLocale } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { useText, type TextId } from '../text.ts';
import styles from './text-page.module.css';

/** The id of a section on a text page. The text with the id `<section>.title` is the title of the section. */
type SectionId = TextId extends infer Id
  ? Id extends `${infer Section extends `${string}.${string}`}.title`
    ? Section
    : never
  : never;

interface Section {
  readonly id: SectionId;
  /** The URL fragment of the section. The default for the section `about.help` is `help`. */
  readonly fragment?: string;
  readonly body: ReactNode;
}

const fragmentOf = ({ id, fragment = id.replace(/^.*\./u, '') }: Section) => fragment;

interface TextPageProps {
  readonly title: string;
  readonly intro: ReactNode;
  readonly changed?: string;
  readonly children?: ReactNode;
  readonly sections: readonly Section[];
}

/** Minimum number of sections from which a page has a table of contents. */
const CONTENTS_FROM_sections = 4;

/** A page that consists of sections of text. */
export function TextPage({ title, intro, changed, children, sections }: TextPageProps) {
  const t = useText();
  const hasContents = sections.length >= CONTENTS_FROM_sections;
  return (
    <Page className={hasContents ? styles['withContents'] : styles['plain']}>
      <header className={styles['head']}>
        <PageHeading documentTitle={title} className={styles['title']}>
          {title}
        </PageHeading>
        <p className={styles['intro']}>{intro}</p>
        {changed !== undefined && <Changed on={changed} />}
      </header>
      {hasContents && <Contents sections={sections} />}
      <div className={styles['text']}>
        {children}
        {sections.map((section) => (
          <section key={section.id} aria-labelledby={fragmentOf(section)}>
            <h2 id={fragmentOf(section)}>{t(`${section.id}.title`)}</h2>
            {section.body}
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
        {sections.map((section) => (
          <li key={section.id}>
            <a href={`#${fragmentOf(section)}`}>{t(`${section.id}.title`)}</a>
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
  return <p className={layout['hint']}>{t('text.changed', { date })}</p>;
}
