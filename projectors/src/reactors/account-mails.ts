import type { AccountMail } from '@alpenglow/domain';
import type { Job, Reactor } from '../run-reactor.ts';

/** Later than that, the page has told them. */
const DECISION_IS_NEWS_ms = 7 * 24 * 60 * 60_000;

/** Has what an account's owner is to know mailed. No code is in a job: the worker derives it. */
export const accountMails: Reactor = {
  name: 'reactor-account-mails',
  on: {
    EmailVerificationIssued: ({ data }) => mail('verification', data.accountId, data),
    PasswordResetIssued: ({ data }) => mail('password-reset', data.accountId, data),
    SignUpRepeated: ({ data }) => mail('sign-up-repeated', data.ofAccountId, data),
    IdentityCheckDecided: ({ data: { accountId, checkId }, meta }) =>
      mail('identity-decided', accountId, {
        issuanceId: checkId,
        expiresAt: new Date(Date.parse(meta.at) + DECISION_IS_NEWS_ms).toISOString(),
      }),
  },
};

function mail(
  about: AccountMail,
  accountId: string,
  { issuanceId, expiresAt }: { readonly issuanceId: string; readonly expiresAt: string },
): Job {
  return { kind: 'account-mail', payload: { about, accountId, issuanceId, expiresAt } };
}
