import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { downloadSignedIn, queryOf, type Api } from '@alpenglow/ui';

/** A period of days such as `2026-12-31`, in UTC. Both ends are included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const PATH = '/admin/transparency';

/** Returns the query for the transparency report of a period. */
export function reportQuery(api: Api, { from, to }: Period) {
  return queryOptions({
    queryKey: ['admin', 'transparency', from, to],
    queryFn: ({ signal }) =>
      api.requestWithToken<'getTransparencyReport'>({ path: `${PATH}${queryOf({ from, to })}`, signal }),
    placeholderData: keepPreviousData,
  });
}

/** Downloads the report of a period as a file. */
export function downloadReport(api: Api, { from, to }: Period, format: 'json' | 'csv'): Promise<File> {
  return downloadSignedIn(api, `${PATH}${queryOf({ from, to, format })}`);
}
