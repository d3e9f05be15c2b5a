import { NOTICE_MAIL_LIFETIME_ms, type AccountMailTopic, type RecordedDomainEvent } from '@alpenglow/domain';
import type { Job, Reactor } from './run-reactor.ts';

/**
 * Creates the jobs that send mails to account owners. A job does not contain the code of the mail, e.g. a verification
 * code, because the worker that sends the mail derives the code.
 */
export const accountMails: Reactor = {
  name: 'reactor-account-mails',
  // The address is in the same stream, so the job would fail.
  needsPersonalData: true,
  on: {
    EmailVerificationIssued: ({ data }) => mail('verification', data.accountId, data),
    PasswordResetIssued: ({ data }) => mail('password-reset', data.accountId, data),
    LoginCodeIssued: ({ data }) => mail('login-code', data.accountId, data),
    SignUpRepeated: ({ data }) => mail('sign-up-repeated', data.ofAccountId, data),
    IdentityCheckDecided: ({ data: { accountId, checkId }, meta }) =>
      mail('identity-decided', accountId, { issuanceId: checkId, expiresAt: endOfNotice(meta.at) }),
    PasswordChanged: (event) => warning('password-changed', event),
    TwoStepEnabled: (event) => warning('two-step-on', event),
    TwoStepDisabled: (event) => warning('two-step-off', event),
    RoleGranted: (event) => warning('role-changed', event),
    RoleWithdrawn: (event) => warning('role-changed', event),
  },
};

/** Creates the job of a mail that warns the owner of an account about a change. */
function warning(
  about: AccountMailTopic,
  {
    id,
    data: { accountId },
    meta,
  }: Pick<RecordedDomainEvent, 'id' | 'meta'> & { readonly data: { readonly accountId: string } },
): Job {
  return mail(about, accountId, { issuanceId: id, expiresAt: endOfNotice(meta.at) });
}

/** Returns the time after which an event of the time `at` is not mailed any more. Both are in ISO 8601. */
function endOfNotice(at: string): string {
  return new Date(Date.parse(at) + NOTICE_MAIL_LIFETIME_ms).toISOString();
}

function mail(
  about: AccountMailTopic,
  accountId: string,
  { issuanceId, expiresAt }: { readonly issuanceId: string; readonly expiresAt: string },
): Job {
  return { kind: 'account-mail', payload: { about, accountId, issuanceId, expiresAt } };
}
