import {
  userView,
  type AccountState,
  type DoneAnswer,
  type RecoveryCodesAnswer,
  type RegisteredAccount,
  type SessionAnswer,
  type TwoStepAnswer,
  type TwoStepSetUpAnswer,
  type UserAnswer,
} from '@alpenglow/domain';
import { requestIdOf, type CommandOrigin } from '@alpenglow/infra';
import type { Response } from 'express';
import type { AuthDependencies } from './dependencies.ts';

/** Commands of an account come from its owner, also where only the address says who that is. */
export function originOf(accountId: string, res: Response): CommandOrigin {
  return { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) };
}

/** What is said about an account is for the asker alone: no cache keeps it. */
export function answer(
  res: Response,
  body: SessionAnswer | UserAnswer | TwoStepAnswer | TwoStepSetUpAnswer | RecoveryCodesAnswer | DoneAnswer,
): void {
  res.setHeader('Cache-Control', 'no-store').json(body);
}

export function userAnswer(
  state: RegisteredAccount,
  { adminEmail }: Pick<AuthDependencies, 'adminEmail'>,
  message: string,
): UserAnswer {
  return { success: true, user: userView(state, adminEmail), message };
}

export function sessionAnswer(
  state: RegisteredAccount,
  token: string,
  { adminEmail }: Pick<AuthDependencies, 'adminEmail'>,
  message: string,
): SessionAnswer {
  return {
    success: true,
    user: userView(state, adminEmail),
    token,
    message,
    verificationRequired: !state.emailVerified,
  };
}

/** The open verification code, where codes are exposed. */
export function exposedCode(
  state: AccountState,
  { exposeCodes, codeOf }: Pick<AuthDependencies, 'exposeCodes' | 'codeOf'>,
): { verificationCode?: string } {
  return exposeCodes && state?.verification ? { verificationCode: codeOf(state.verification.issuanceId) } : {};
}
