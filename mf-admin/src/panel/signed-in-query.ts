import { queryOptions, type QueryKey } from '@tanstack/react-query';
import type { PathTo, ReadId } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

/** Returns the query for the data of an operation that only signed-in users can read. */
export function signedInQuery<Id extends ReadId>(api: Api, queryKey: QueryKey, path: PathTo<Id>) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => api.requestWithToken<Id>({ path, signal }) });
}
