import {
  account,
  createMailId,
  type AccountMailTopic,
  type JobHandler,
  type RegisteredAccount,
  isStandIn,
} from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';
import {
  accountChangeMailText,
  identityDecisionMailText,
  loginCodeMailText,
  passwordResetMailText,
  repeatedSignUpMailText,
  verificationMailText,
  type MailText,
} from './mail-texts.ts';
import { sendMail } from './send-mail.ts';

type AccountMailDependencies = Dependencies<'commands' | 'mail' | 'createVerificationCode' | 'site'>;

/**
 * Creates the handler of the job that sends a mail to the owner of an account, e.g. with a verification code (R-10.1,
 * It sends nothing if the account is closed, or if the code in the mail is no longer valid.
 */
export function createAccountMailHandler(
  { commands, mail, createVerificationCode, site }: AccountMailDependencies,
  now: () => number = Date.now,
): JobHandler<'account-mail'> {
  return async ({ about, accountId, issuanceId, expiresAt }) => {
    if (Date.parse(expiresAt) <= now()) return;
    const { state } = await commands.load(account, accountId);
    // Stand-in accounts receive no mail. A repeated sign-up creates such an account, so that the response does not show
    // that the e-mail address already has one (decision 0055).
    if (!state || isStandIn(state)) return;
    const text = textOf(about, state, issuanceId, { createVerificationCode, site });
    if (text)
      await sendMail(mail, { id: createMailId(about, issuanceId), to: state.email, unsubscribeUrl: null, ...text });
  };
}

function textOf(
  about: AccountMailTopic,
  state: RegisteredAccount,
  issuanceId: string,
  { createVerificationCode, site }: Pick<AccountMailDependencies, 'createVerificationCode' | 'site'>,
): MailText | null {
  switch (about) {
    case 'verification':
      return state.openVerificationCode?.issuanceId === issuanceId
        ? verificationMailText(createVerificationCode(issuanceId))
        : null;
    case 'password-reset':
      return state.openResetCodes.some((code) => code.issuanceId === issuanceId)
        ? passwordResetMailText(createVerificationCode(issuanceId))
        : null;
    case 'login-code':
      return state.openLoginCodes.some((code) => code.issuanceId === issuanceId)
        ? loginCodeMailText(createVerificationCode(issuanceId))
        : null;
    case 'sign-up-repeated':
      return repeatedSignUpMailText();
    case 'identity-decided':
      return identityDecisionMailText(site);
    case 'password-changed':
    case 'two-step-on':
    case 'two-step-off':
    case 'role-changed':
      return accountChangeMailText(about, site);
  }
}
