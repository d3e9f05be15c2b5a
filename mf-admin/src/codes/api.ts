import { signedInPagedQuery, type Api } from '@alpenglow/ui';

export const CODES_KEY = ['admin', 'codes'] as const;

export function codesQuery(api: Api) {
  return signedInPagedQuery<'listVerificationCodes'>(api, CODES_KEY, '/admin/verification-codes');
}

/**
 * Clears the verification code of one user, or all open codes if `userId` is null. Returns the number of cleared codes.
 */
export async function clearCodes(api: Api, userId: string | null, reason: string): Promise<number> {
  const path = `/admin/verification-codes/${userId === null ? 'clear' : encodeURIComponent(userId)}` as const;
  const request = { method: 'DELETE', path, body: { reason } } as const;
  const { data } = await api.requestWithToken<'clearVerificationCode'>(request);
  return data.cleared;
}
