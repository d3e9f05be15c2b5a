import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { PagedList, type PagedListProps } from './paged-list.tsx';

export interface PagedTableProps<Page extends { readonly data: readonly unknown[] }>
  extends Omit<PagedListProps<Page>, 'children'>,
    Omit<DataTableProps<Page['data'][number]>, 'rows'> {
  readonly lead?: (first: Page) => ReactNode;
}

/** Renders a paged list as a table. Shows a placeholder, an error or an empty state if there are no rows. */
export function PagedTable<Page extends { readonly data: readonly unknown[] }>(props: PagedTableProps<Page>) {
  const { list, failedText, empty, loadingHeight, moreText, moreClassName, lead, ...table } = props;
  const states = { list, failedText, empty, loadingHeight, moreText, moreClassName };
  return (
    <PagedList {...states}>
      {(rows, first) => (
        <>
          {lead?.(first)}
          <DataTable {...table} rows={rows} />
        </>
      )}
    </PagedList>
  );
}
