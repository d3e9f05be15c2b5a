import type { ReactNode } from 'react';
import { Breadcrumbs, HeartIcon, LinkButton, Page, PageHeading, type Breadcrumb } from '@alpenglow/ui';
import { AdList } from '../lists/ad-list.tsx';
import { Chips } from '../lists/chips.tsx';
import { FilterBar, type ChangeOfFilter } from '../lists/filter-bar.tsx';
import type { ListFilter } from '../lists/filters.ts';
import { listTitle } from '../lists/list-title.ts';
import { useText } from '../text.ts';
import styles from './list-page.module.css';

export interface ListPageProps {
  readonly filter: ListFilter;
  readonly onChange: ChangeOfFilter;
  /** The way here, where there is more of it than home. */
  readonly breadcrumbs?: readonly Breadcrumb[];
  /** Below the heading. */
  readonly intro?: ReactNode;
  /** The page is about this one place. */
  readonly isPlaceFixed?: boolean;
  /** Behind the list. */
  readonly children?: ReactNode;
}

/** Heading, filters, ads: the same for all listings and for one city. */
export function ListPage({ filter, onChange, breadcrumbs = [], intro, isPlaceFixed = false, children }: ListPageProps) {
  const t = useText();
  const title = listTitle(filter, t);
  const onChosen = (changed: ListFilter) => onChange(changed, 'chosen');
  return (
    <Page>
      {breadcrumbs.length > 0 && <Breadcrumbs items={breadcrumbs} />}
      <div className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <LinkButton to="/favorites" variant="quiet">
          <HeartIcon />
          {t('favorites')}
        </LinkButton>
      </div>
      {intro}
      <FilterBar value={filter} onChange={onChange} />
      <AdList
        filter={filter}
        label={title}
        chips={<Chips filter={filter} onChange={onChosen} isPlaceFixed={isPlaceFixed} />}
        onChange={onChosen}
      />
      {children}
    </Page>
  );
}
