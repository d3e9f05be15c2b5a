import { queryOptions } from '@tanstack/react-query';
import type { DoneAnswer, RecoveryCodesAnswer, TwoStepAnswer, TwoStepSetUpAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

export const twoStepKey = (viewer: string) => ['two-step', viewer] as const;

/** How two-step sign-in of the user stands. */
export function twoStepQuery(api: Api, viewer: string) {
  return queryOptions({
    queryKey: twoStepKey(viewer),
    queryFn: ({ signal }) => api.callSignedIn<TwoStepAnswer>({ path: '/auth/two-step', signal }),
    select: ({ data }) => data,
  });
}

export const setUpTwoStep = (api: Api, password: string) =>
  api.callSignedIn<TwoStepSetUpAnswer>({ method: 'POST', path: '/auth/two-step/setup', body: { password } });
export const confirmTwoStep = (api: Api, code: string) =>
  api.callSignedIn<RecoveryCodesAnswer>({ method: 'POST', path: '/auth/two-step/confirm', body: { code } });
export const disableTwoStep = (api: Api, password: string, code: string) =>
  api.callSignedIn<DoneAnswer>({ method: 'POST', path: '/auth/two-step/disable', body: { password, code } });
