import type { ReactNode } from 'react';
import { Breadcrumbs, HeartIcon, LinkButton, Page, PageHeading, type Breadcrumb } from '@alpenglow/ui';
import { AdList } from '../lists/ad-list.tsx';
import { FilterChips } from '../lists/filter-chips.tsx';
import { FilterBar } from '../lists/filter-bar.tsx';
import type { FilterChangeHandler, ListFilter } from '../lists/filters.ts';
import { useLatestFilter, useListFilter } from '../lists/use-list-filter.ts';
import { formatListTitle } from '../lists/list-title.ts';
import { useText } from '../text.ts';
import styles from './list-page.module.css';

export interface ListPageProps {
  readonly filter: ListFilter;
  readonly onChange: FilterChangeHandler;
  /** The breadcrumbs that follow the breadcrumb of the home page. */
  readonly breadcrumbs?: readonly Breadcrumb[];
  /** Renders the text above the filters. The filter of the list does not change while a price is typed. */
  readonly renderIntro?: (listFilter: ListFilter) => ReactNode;
  readonly isPlaceFixed?: boolean;
  readonly children?: ReactNode;
}

/** A page with heading, filters and ads. It shows all ads or the ads of one city. */
export function ListPage({
  filter,
  onChange,
  breadcrumbs = [],
  renderIntro,
  isPlaceFixed = false,
  children,
}: ListPageProps) {
  const t = useText();
  const { listFilter, hold, release } = useListFilter(filter);
  const applyToLatest = useLatestFilter(filter);
  const title = formatListTitle(listFilter, t);
  const onChosen = (changed: ListFilter) => onChange(applyToLatest(listFilter, changed), 'chosen');
  return (
    <Page>
      {breadcrumbs.length > 0 && <Breadcrumbs fromHome items={breadcrumbs} />}
      <div className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        <LinkButton to="/favorites" variant="quiet">
          <HeartIcon />
          {t('favorites')}
        </LinkButton>
      </div>
      {renderIntro?.(listFilter)}
      <FilterBar
        value={filter}
        onChange={(changed, how) => onChange(applyToLatest(filter, changed), how)}
        priceTyping={{
          onTyped: (changed) => {
            hold();
            onChange(applyToLatest(filter, changed), 'typing');
          },
          onDone: release,
        }}
        isPlaceFixed={isPlaceFixed}
      />
      <AdList
        filter={listFilter}
        label={title}
        isPlaceFixed={isPlaceFixed}
        chips={<FilterChips filter={listFilter} onChange={onChosen} isPlaceFixed={isPlaceFixed} />}
        onChange={onChosen}
      />
      {children}
    </Page>
  );
}
