import type { Reactor } from '../run-reactor.ts';

/** Has each verification code mailed. The code is not in the job: the worker derives it. */
export const accountMails: Reactor = {
  name: 'reactor-account-mails',
  on: {
    EmailVerificationIssued: ({ data }) => ({ kind: 'verification-mail', payload: { accountId: data.accountId, issuanceId: data.issuanceId } }),
  },
};
