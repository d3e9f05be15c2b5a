import { queryOptions } from '@tanstack/react-query';
import type { ResponseOf, SentBodyOf } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

export const twoStepKey = (viewer: string) => ['two-step', viewer] as const;

/** Creates the query for the state of the user's two-step sign-in. */
export function twoStepQuery(api: Api, viewer: string) {
  return queryOptions({
    queryKey: twoStepKey(viewer),
    queryFn: ({ signal }) => api.requestWithToken<'getTwoStep'>({ path: '/auth/two-step', signal }),
    select: ({ data }) => data,
  });
}

type Change = 'setUpTwoStep' | 'confirmTwoStep' | 'disableTwoStep';
const send = <Id extends Change>(api: Api, step: 'setup' | 'confirm' | 'disable', body: SentBodyOf<Change>) =>
  api.requestWithToken<Change>({ method: 'POST', path: `/auth/two-step/${step}`, body }) as Promise<ResponseOf<Id>>;

export const setUpTwoStep = (api: Api, password: string) => send<'setUpTwoStep'>(api, 'setup', { password });
export const confirmTwoStep = (api: Api, code: string) => send<'confirmTwoStep'>(api, 'confirm', { code });
export const disableTwoStep = (api: Api, password: string, code: string) =>
  send<'disableTwoStep'>(api, 'disable', { password, code });
