import type { ClearCodesResponse, VerificationCodesResponse } from '@alpenglow/domain/contracts';
import { signedInPagedQuery, type Api } from '@alpenglow/ui';

export const CODES_KEY = ['admin', 'codes'] as const;

export function codesQuery(api: Api) {
  return signedInPagedQuery<VerificationCodesResponse>(api, CODES_KEY, '/admin/verification-codes');
}

/**
 * Clears the verification code of one user, or all open codes if `userId` is null. Returns the number of cleared codes.
 */
export async function clearCodes(api: Api, userId: string | null, reason: string): Promise<number> {
  const path = `/admin/verification-codes/${userId === null ? 'clear' : encodeURIComponent(userId)}`;
  const { data } = await api.requestWithToken<ClearCodesResponse>({ method: 'DELETE', path, body: { reason } });
  return data.cleared;
}
