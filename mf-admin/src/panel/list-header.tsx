import type { ReactNode } from 'react';
import { PageHeading } from '@alpenglow/ui';
import styles from './list.module.css';

export interface ListHeaderProps {
  readonly title: string;
  /** Title of the browser tab. The default is the title of the page. */
  readonly documentTitle?: string;
  /** Content next to the title, such as buttons that affect the whole list. */
  readonly children?: ReactNode;
}

/** The header of a page with a list: its title and buttons. */
export function ListHeader({ title, documentTitle = title, children }: ListHeaderProps) {
  return (
    <header className={styles['head']}>
      <PageHeading documentTitle={documentTitle}>{title}</PageHeading>
      {children}
    </header>
  );
}
