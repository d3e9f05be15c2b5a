import type { RemovalCard } from '@alpenglow/domain/contracts';
import { downloadSignedIn, signedInPagedQuery, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

export const REMOVALS_KEY = ['admin', 'removals'] as const;
export const REMOVAL_LISTS = ['waiting', 'closed'] as const;
export type RemovalList = (typeof REMOVAL_LISTS)[number];

const PATH = '/admin/moderation/removals';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}` as const;

/** Returns the query for the removal requests of a list. Waiting ones are ordered by their deadline. */
export const removalsQuery = (api: Api, state: RemovalList) => ({
  ...signedInPagedQuery<'listRemovals'>(api, [...REMOVALS_KEY, state], PATH, { state }),
  refetchInterval: 60_000,
});

/** Returns the query for one removal request. Its page shows a withdrawal and the decision of another moderator. */
export const removalQuery = (api: Api, id: string) => ({
  ...signedInQuery<'getRemoval'>(api, [...REMOVALS_KEY, 'one', id], pathOf(id)),
  refetchInterval: 10_000,
});

/** The decisions of a moderator: the first two about a request, and the others about an appeal. */
export const DECISIONS = ['valid', 'rejected', 'overturned', 'upheld'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Decides a request or an appeal with reasons, which the requester and the poster read. */
export function decide(api: Api, id: string, outcome: Decision, facts: string) {
  return outcome === 'valid' || outcome === 'rejected'
    ? api.requestWithToken<'decideRemoval'>({
        method: 'POST',
        path: `${pathOf(id)}/decide`,
        body: { outcome, facts },
      })
    : api.requestWithToken<'decideRemovalAppeal'>({
        method: 'POST',
        path: `${pathOf(id)}/appeal`,
        body: { outcome, facts },
      });
}

/** Downloads one request as a file that is encrypted with the passphrase. */
export const exportRemoval = (api: Api, id: string, passphrase: string): Promise<File> =>
  downloadSignedIn(api, `${pathOf(id)}/export`, { body: { passphrase } });

/** Returns the whole hours until a deadline. The result is negative after it. */
export const hoursLeft = (deadline: string, now_ms: number): number =>
  Math.floor((Date.parse(deadline) - now_ms) / 3_600_000);

/** The tone of a badge with the status of a request. */
export const STATUS_TONES: Readonly<Record<RemovalCard['status'], 'accent' | 'success' | 'danger' | 'neutral'>> = {
  open: 'accent',
  appealed: 'accent',
  valid: 'accent',
  completed: 'success',
  rejected: 'danger',
  withdrawn: 'neutral',
};
