import type { SentBodyOf } from '@alpenglow/domain/contracts';
import { signedInPagedQuery, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

export const REPLAY_KEY = ['admin', 'replay'] as const;
const REFRESH_ms = 2_000;

/** Actions on a whole projection. Actions on a single parked event are separate. */
export type ProjectionAction = 'rebuild' | 'pause' | 'resume' | 'cancel' | 'swap' | 'revert';

/** Returns the query for all projections. The query is repeated, because rebuilds run in the background. */
export function projectionsQuery(api: Api) {
  return {
    ...signedInQuery<'listProjections'>(api, [...REPLAY_KEY, 'list'], '/admin/projections'),
    refetchInterval: REFRESH_ms,
  };
}

/**
 * Returns the query for the differences between the live tables of a read model and its rebuilt tables. The differences
 * change continuously, so they are removed from the cache when the dialog closes.
 */
export function differencesQuery(api: Api, name: string) {
  const path = `/admin/projections/${name}/differences` as const;
  return { ...signedInQuery<'listRebuildDifferences'>(api, [...REPLAY_KEY, 'differences', name], path), gcTime: 0 };
}

export function parkedQuery(api: Api, name: string) {
  const path = `/admin/projections/${name}/parked` as const;
  return { ...signedInPagedQuery<'listParkedEvents'>(api, [...REPLAY_KEY, 'parked', name], path), gcTime: 0 };
}

type Write =
  | 'rebuildProjection'
  | 'pauseRebuild'
  | 'resumeRebuild'
  | 'cancelRebuild'
  | 'swapRebuild'
  | 'revertRebuild'
  | 'retryParkedEvent'
  | 'skipParkedEvent';
type WritePath = `${string}/${ProjectionAction}` | `${string}/parked/${string}/${'retry' | 'skip'}`;

export function replayRequests(api: Api) {
  const post = (path: WritePath, body?: SentBodyOf<Write>) =>
    api.requestWithToken<Write>({
      method: 'POST',
      path: `/admin/projections/${path}`,
      ...(body !== undefined && { body }),
    });
  const parkedAt = (name: string, position: string) => `${name}/parked/${position.replace('/', '-')}` as const;
  return {
    start: (name: string, action: ProjectionAction) => post(`${name}/${action}`),
    retry: (name: string, position: string) => post(`${parkedAt(name, position)}/retry`),
    skip: (name: string, position: string, reason: string) => post(`${parkedAt(name, position)}/skip`, { reason }),
  };
}
