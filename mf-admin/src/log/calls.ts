import { infiniteQueryOptions } from '@tanstack/react-query';
import type { DailyRootsAnswer, LogAnswer, ProofAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

/** What narrows the log; empty: everything. */
export interface LogFilter {
  readonly type: string;
  readonly actor: string;
}

const LOG = ['admin', 'log'] as const;

export const logQuery = (api: Api, { type, actor }: LogFilter) =>
  infiniteQueryOptions({
    queryKey: [...LOG, 'entries', type, actor],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = new URLSearchParams(Object.entries({ type, actor, cursor }).filter(([, value]) => value !== ''));
      return api.callSignedIn<LogAnswer>({ path: `/admin/log?${query.toString()}`, signal });
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const rootsQuery = (api: Api) =>
  infiniteQueryOptions({
    queryKey: [...LOG, 'roots'],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) =>
      api.callSignedIn<DailyRootsAnswer>({ path: `/audit/roots${cursor === '' ? '' : `?cursor=${cursor}`}`, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const proofQuery = (api: Api, eventId: string) => ({
  queryKey: [...LOG, 'proof', eventId] as const,
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    api.callSignedIn<ProofAnswer>({ path: `/admin/log/${eventId}/proof`, signal }),
});
