import { keepPreviousData, type QueryKey } from '@tanstack/react-query';
import type { PathTo, ReadId } from '@alpenglow/domain/contracts';
import { signedInPagedQuery, type Api } from '@alpenglow/ui';

/**
 * Returns the query for a `FilteredTable`. The previous rows are its data until the rows for new filters have loaded.
 * The filters are a part of the query key and the parameters of the request.
 */
export function filteredQuery<Id extends ReadId>(
  api: Api,
  key: QueryKey,
  path: PathTo<Id>,
  filters: Readonly<Record<string, string>>,
) {
  const query = signedInPagedQuery<Id>(api, [...key, 'list', filters], path, { ...filters });
  return { ...query, placeholderData: keepPreviousData };
}
