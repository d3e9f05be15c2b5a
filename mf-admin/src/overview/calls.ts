import { queryOptions } from '@tanstack/react-query';
import type { OverviewAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

const REFRESH_ms = 3_000;

/** The state of the place, asked again every few seconds as long as the page is to be seen. */
export function overviewQuery(api: Api) {
  return queryOptions({
    queryKey: ['admin', 'overview'],
    queryFn: ({ signal }) => api.callSignedIn<OverviewAnswer>({ path: '/admin/overview', signal }),
    refetchInterval: REFRESH_ms,
  });
}
