import { queryOptions, type QueryKey } from '@tanstack/react-query';
import type { Api } from '@alpenglow/ui';

/** Returns the query for data that only signed-in users can read. */
export function signedInQuery<Response>(api: Api, queryKey: QueryKey, path: string) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => api.requestWithToken<Response>({ path, signal }) });
}
