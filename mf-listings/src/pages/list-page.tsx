import { HeartIcon, LinkButton, listingsMessages as text, Page, PageHeading } from '@alpenglow/ui';
import { AdList } from '../lists/ad-list.tsx';
import { FilterBar } from '../lists/filter-bar.tsx';
import type { ListFilter } from '../lists/filters.ts';
import { listTitle } from '../lists/list-title.ts';
import styles from './list-page.module.css';

export interface ListPageProps {
  readonly filter: ListFilter;
  readonly onChange: (filter: ListFilter, how: 'chosen' | 'typing') => void;
}

/** Heading, filters, ads: the same for all listings and for one city. */
export function ListPage({ filter, onChange }: ListPageProps) {
  const title = listTitle(filter);
  return (
    <Page>
      <div className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <LinkButton to="/favorites" variant="quiet">
          <HeartIcon />
          {text.favorites}
        </LinkButton>
      </div>
      <FilterBar value={filter} onChange={onChange} />
      <AdList filter={filter} label={title} onChange={(changed) => onChange(changed, 'chosen')} />
    </Page>
  );
}
