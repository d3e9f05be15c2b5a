import type { AccountMailTopic } from '@alpenglow/domain';
import type { Job, Reactor } from '../run-reactor.ts';

/**
 * The time after a decision on an identity check during which the mail about the decision is sent. After this time, the
 * owner of the account has probably read the decision on the site.
 */
const DECISION_MAIL_LIFETIME_ms = 7 * 24 * 60 * 60_000;

/**
 * Creates the jobs that send mails to account owners. A job does not contain the code of the mail, e.g. a verification
 * code, because the worker that sends the mail derives the code.
 */
export const accountMails: Reactor = {
  name: 'reactor-account-mails',
  on: {
    EmailVerificationIssued: ({ data }) => mail('verification', data.accountId, data),
    PasswordResetIssued: ({ data }) => mail('password-reset', data.accountId, data),
    SignUpRepeated: ({ data }) => mail('sign-up-repeated', data.ofAccountId, data),
    IdentityCheckDecided: ({ data: { accountId, checkId }, meta }) =>
      mail('identity-decided', accountId, {
        issuanceId: checkId,
        expiresAt: new Date(Date.parse(meta.at) + DECISION_MAIL_LIFETIME_ms).toISOString(),
      }),
  },
};

function mail(
  about: AccountMailTopic,
  accountId: string,
  { issuanceId, expiresAt }: { readonly issuanceId: string; readonly expiresAt: string },
): Job {
  return { kind: 'account-mail', payload: { about, accountId, issuanceId, expiresAt } };
}
