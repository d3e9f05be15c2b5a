import { toUserView, type AccountState, type RegisteredAccount, type ResponseOf } from '@alpenglow/domain';
import type { Response } from 'express';
import type { AuthDependencies } from './dependencies.ts';

/** Sends a response about an account. Caches must not store the response, because it is meant for the caller only. */
export function sendResponse<Body>(res: Response<Body>, body: NoInfer<Body>): void {
  res.setHeader('Cache-Control', 'no-store').json(body);
}

/** Returns the response body that describes an account. */
export function createUserResponse(
  state: RegisteredAccount,
  { adminEmail }: Pick<AuthDependencies, 'adminEmail'>,
  message: string,
): ResponseOf<'verifySession'> {
  return { success: true, user: toUserView(state, adminEmail), message };
}

/** Returns the response body for a caller who has a new session. */
export function createSessionResponse(
  state: RegisteredAccount,
  token: string,
  { adminEmail }: Pick<AuthDependencies, 'adminEmail'>,
  message: string,
): ResponseOf<'signUp'> {
  return {
    success: true,
    user: toUserView(state, adminEmail),
    token,
    message,
    verificationRequired: !state.emailVerified,
  };
}

/**
 * Returns an object with the open verification code. Returns an empty object if there is no open code, or if the
 * configuration does not expose codes.
 */
export function getExposedCode(
  state: AccountState,
  { exposeCodes, createVerificationCode }: Pick<AuthDependencies, 'exposeCodes' | 'createVerificationCode'>,
): { verificationCode?: string } {
  return exposeCodes && state?.openVerificationCode
    ? { verificationCode: createVerificationCode(state.openVerificationCode.issuanceId) }
    : {};
}
