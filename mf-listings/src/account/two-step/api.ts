import { queryOptions } from '@tanstack/react-query';
import type {
  EmptyResultResponse,
  RecoveryCodesResponse,
  TwoStepResponse,
  TwoStepSetUpResponse,
} from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

export const twoStepKey = (viewer: string) => ['two-step', viewer] as const;

/** Creates the query for the state of the user's two-step sign-in. */
export function twoStepQuery(api: Api, viewer: string) {
  return queryOptions({
    queryKey: twoStepKey(viewer),
    queryFn: ({ signal }) => api.requestWithToken<TwoStepResponse>({ path: '/auth/two-step', signal }),
    select: ({ data }) => data,
  });
}

const send = <Body>(api: Api, step: string, body: object) =>
  api.requestWithToken<Body>({ method: 'POST', path: `/auth/two-step/${step}`, body });

export const setUpTwoStep = (api: Api, password: string) => send<TwoStepSetUpResponse>(api, 'setup', { password });
export const confirmTwoStep = (api: Api, code: string) => send<RecoveryCodesResponse>(api, 'confirm', { code });
export const disableTwoStep = (api: Api, password: string, code: string) =>
  send<EmptyResultResponse>(api, 'disable', { password, code });
