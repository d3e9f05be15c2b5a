import { useRef } from 'react';
import { Button, EmptyState, PagedTable, type PagedTableProps } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { FilterBar, type FilterBarProps } from './filter-bar.tsx';
import { Count } from './list-parts.tsx';
import styles from './list.module.css';

interface CountedPage {
  readonly data: readonly { readonly id: string }[];
  /** Number of rows on all pages. It is null if the server has not counted the rows. */
  readonly total: number | null;
}

export interface FilteredTableProps<Name extends string, Page extends CountedPage>
  extends FilterBarProps<Name>,
    Omit<PagedTableProps<Page>, 'getKey' | 'empty' | 'lead' | 'loadingHeight'> {
  readonly countText: (count: number) => string;
  readonly emptyText: string;
}

/**
 * A paged table with its filters above it and the number of matching rows. The previous rows stay, in a lighter color,
 * until the rows for new filters have loaded, so that a menu in a row stays open.
 */
export function FilteredTable<Name extends string, Page extends CountedPage>({
  filters,
  searchLabel,
  selects,
  countText,
  emptyText,
  ...table
}: FilteredTableProps<Name, Page>) {
  const t = useText();
  const searchField = useRef<HTMLInputElement>(null);
  const showAll = filters.isFiltered && (
    <Button
      onClick={() => {
        // This button disappears, so the focus moves to the filters.
        searchField.current?.focus();
        filters.clear();
      }}
    >
      {t('table.showAll')}
    </Button>
  );
  return (
    <>
      <FilterBar ref={searchField} filters={filters} searchLabel={searchLabel} selects={selects} />
      <div className={styles['rows']} aria-busy={table.list.isPlaceholderData || undefined}>
        <PagedTable
          {...table}
          isOneLine
          getKey={({ id }: Page['data'][number]) => id}
          empty={<EmptyState title={emptyText} actions={showAll} />}
          loadingHeight="20rem"
          lead={({ total, data }) => <Count>{countText(total ?? data.length)}</Count>}
        />
      </div>
    </>
  );
}
