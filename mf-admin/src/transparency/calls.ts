import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { TransparencyAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

/** Days as `2026-12-31`, UTC, both ends included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const pathOf = ({ from, to }: Period) => `/admin/transparency?${new URLSearchParams({ from, to }).toString()}`;

/** The figures of a period. */
export function reportQuery(api: Api, period: Period) {
  return queryOptions({
    queryKey: ['admin', 'transparency', period.from, period.to],
    queryFn: ({ signal }) => api.callSignedIn<TransparencyAnswer>({ path: pathOf(period), signal }),
    placeholderData: keepPreviousData,
  });
}

/** The same as a file. */
export function downloadReport(api: Api, period: Period, format: 'json' | 'csv'): Promise<File> {
  return api.downloadSignedIn(`${pathOf(period)}&format=${format}`);
}
