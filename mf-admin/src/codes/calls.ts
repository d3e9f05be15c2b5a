import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ClearedAnswer, VerificationCodesAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';
import { queryOf } from '../panel/use-filters.ts';

export const CODES_KEY = ['admin', 'codes'] as const;

export function codesQuery(api: Api) {
  return infiniteQueryOptions({
    queryKey: CODES_KEY,
    queryFn: ({ pageParam, signal }) =>
      api.callSignedIn<VerificationCodesAnswer>({
        path: `/admin/verification-codes${queryOf({ cursor: pageParam })}`,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** Clears the code of one user, or every open code where `userId` is null; answers how many there were. */
export async function clearCodes(api: Api, userId: string | null, reason: string): Promise<number> {
  const path = `/admin/verification-codes/${userId === null ? 'clear' : encodeURIComponent(userId)}`;
  const { data } = await api.callSignedIn<ClearedAnswer>({ method: 'DELETE', path, body: { reason } });
  return data.cleared;
}
