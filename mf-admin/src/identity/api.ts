import { signedInPagedQuery, type Api } from '@alpenglow/ui';

export const IDENTITY_KEY = ['admin', 'identity'] as const;

const pathOf = (accountId: string) => `/admin/identity/${encodeURIComponent(accountId)}` as const;

/** Returns the query for the identity verification requests of providers. */
export function identityChecksQuery(api: Api) {
  return signedInPagedQuery<'listIdentityChecks'>(api, IDENTITY_KEY, '/admin/identity');
}

/** Accepts or rejects an identity verification request. The reason is stored in the event of the decision. */
export function decideIdentity(api: Api, accountId: string, accept: boolean, reason: string) {
  const path = `${pathOf(accountId)}/decide` as const;
  return api.requestWithToken<'decideIdentityCheck'>({ method: 'POST', path, body: { accept, reason } });
}

/** Returns the URL of one picture of an identity verification request. The first picture has the number 1. */
export const getPictureUrl = (accountId: string, number: number) => `/api${pathOf(accountId)}/files/${number}`;
