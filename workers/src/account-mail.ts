import {
  account,
  mailId,
  type AccountMail,
  type JobHandler,
  type MailSender,
  type RegisteredAccount,
  type VerificationCodeOf,
} from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';
import {
  identityDecidedText,
  passwordResetText,
  signUpRepeatedText,
  verificationText,
  type MailText,
} from './mail-texts.ts';
import { sendMail } from './send-mail.ts';

export interface AccountMailDependencies {
  readonly commands: CommandHandler;
  readonly mail: MailSender;
  readonly codeOf: VerificationCodeOf;
  /** The site's address, for links; without a slash at its end. */
  readonly site: string;
}

/**
 * Mails an account's owner what happened (specification, section 5; product decisions, "Verification codes and e-mail"). A code that was
 * replaced, used or taken back meanwhile, or has expired, is not mailed any more, nor is anybody whose account is closed.
 */
export function accountMailJob(
  { commands, mail, codeOf, site }: AccountMailDependencies,
  now: () => number = Date.now,
): JobHandler<'account-mail'> {
  return async ({ about, accountId, issuanceId, expiresAt }) => {
    if (Date.parse(expiresAt) <= now()) return;
    const { state } = await commands.load(account, accountId);
    // One that stands in for an address that has another account is never written to (decision 0022).
    if (!state || state.repeatOf !== null) return;
    const text = textOf(about, state, issuanceId, { codeOf, site });
    if (text) await sendMail(mail, { id: mailId(about, issuanceId), to: state.email, unsubscribeUrl: null, ...text });
  };
}

function textOf(
  about: AccountMail,
  state: RegisteredAccount,
  issuanceId: string,
  { codeOf, site }: Pick<AccountMailDependencies, 'codeOf' | 'site'>,
): MailText | null {
  switch (about) {
    case 'verification':
      return state.verification?.issuanceId === issuanceId ? verificationText(codeOf(issuanceId)) : null;
    case 'password-reset':
      return state.reset?.issuanceId === issuanceId ? passwordResetText(codeOf(issuanceId)) : null;
    case 'sign-up-repeated':
      return signUpRepeatedText();
    case 'identity-decided':
      return identityDecidedText(site);
  }
}
