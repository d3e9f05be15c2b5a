import type { AccountMail } from '@alpenglow/domain';
import type { Job, Reactor } from '../run-reactor.ts';

/** Has what an account's owner is to know mailed. No code is in a job: the worker derives it. */
export const accountMails: Reactor = {
  name: 'reactor-account-mails',
  on: {
    EmailVerificationIssued: ({ data }) => mail('verification', data.accountId, data),
    PasswordResetIssued: ({ data }) => mail('password-reset', data.accountId, data),
    SignUpRepeated: ({ data }) => mail('sign-up-repeated', data.ofAccountId, data),
  },
};

function mail(about: AccountMail, accountId: string, { issuanceId, expiresAt }: { readonly issuanceId: string; readonly expiresAt: string }): Job {
  return { kind: 'account-mail', payload: { about, accountId, issuanceId, expiresAt } };
}
