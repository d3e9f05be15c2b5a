import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { getErrorMessage } from '../api/api-error.ts';
import { Loading } from './loading.tsx';
import { ErrorBox } from './state-box.tsx';

/** Shows the error of a query, with a button that repeats the query. */
export function QueryError({ query: { error, refetch }, text }: QueryErrorProps) {
  return <ErrorBox message={getErrorMessage(error, text)} onRetry={() => void refetch()} />;
}

interface QueryErrorProps {
  readonly query: Pick<UseQueryResult, 'error' | 'refetch'>;
  readonly text: string;
}

export interface QueryViewProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly failedText: string;
  readonly loadingHeight?: string;
  /** True if the query is polled. An error of a polled query is shown only if there is no data. */
  readonly isPolled?: boolean;
  readonly children: (data: Data) => ReactNode;
}

/** Renders a query as a placeholder, as an error with a retry button, or as data. Data stays visible below an error. */
export function QueryView<Data>(props: QueryViewProps<Data>) {
  const { query, failedText, loadingHeight, isPolled = false, children } = props;
  return (
    <>
      {query.isPending && <Loading height={loadingHeight} />}
      {query.isError && !(isPolled && query.data !== undefined) && <QueryError query={query} text={failedText} />}
      {query.data !== undefined && children(query.data)}
    </>
  );
}
