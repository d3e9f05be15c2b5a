import type { Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

const REFRESH_ms = 3_000;

/** Returns the query for the overview. While the page is visible, the query is repeated every few seconds. */
export function overviewQuery(api: Api) {
  return {
    ...signedInQuery<'getOverview'>(api, ['admin', 'overview'], '/admin/overview'),
    refetchInterval: REFRESH_ms,
  };
}
