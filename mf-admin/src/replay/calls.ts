import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { DifferencesAnswer, DoneAnswer, ParkedEventsAnswer, ProjectionsAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

export const REPLAY_KEY = ['admin', 'replay'] as const;
const REFRESH_ms = 2_000;

/** What can be asked of a projection as a whole. */
export type ProjectionAction = 'rebuild' | 'pause' | 'resume' | 'cancel' | 'swap' | 'revert';

/** Every projection, asked again all the time: a rebuild goes on by itself. */
export function projectionsQuery(api: Api) {
  return queryOptions({
    queryKey: [...REPLAY_KEY, 'list'],
    queryFn: ({ signal }) => api.callSignedIn<ProjectionsAnswer>({ path: '/admin/projections', signal }),
    refetchInterval: REFRESH_ms,
  });
}

/** Values as they are at the moment of asking, kept no longer than they are shown. */
export function differencesQuery(api: Api, name: string) {
  return queryOptions({
    queryKey: [...REPLAY_KEY, 'differences', name],
    queryFn: ({ signal }) =>
      api.callSignedIn<DifferencesAnswer>({ path: `/admin/projections/${name}/differences`, signal }),
    gcTime: 0,
  });
}

export function parkedQuery(api: Api, name: string) {
  return infiniteQueryOptions({
    queryKey: [...REPLAY_KEY, 'parked', name],
    queryFn: ({ pageParam, signal }) =>
      api.callSignedIn<ParkedEventsAnswer>({
        path: `/admin/projections/${name}/parked${pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`}`,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    gcTime: 0,
  });
}

export function replayCalls(api: Api) {
  const post = (path: string, body?: unknown) =>
    api.callSignedIn<DoneAnswer>({
      method: 'POST',
      path: `/admin/projections/${path}`,
      ...(body !== undefined && { body }),
    });
  const parkedAt = (name: string, position: string) => `${name}/parked/${position.replace('/', '-')}`;
  return {
    ask: (name: string, action: ProjectionAction) => post(`${name}/${action}`),
    retry: (name: string, position: string) => post(`${parkedAt(name, position)}/retry`),
    skip: (name: string, position: string, reason: string) => post(`${parkedAt(name, position)}/skip`, { reason }),
  };
}
