import { account, type AccountMail, type IssuedCode, type JobHandler, type MailSender, type RegisteredAccount, type VerificationCodeOf } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';
import { passwordResetText, signUpRepeatedText, verificationText, type MailText } from './mail-texts.ts';

export interface AccountMailDependencies {
  readonly commands: CommandHandler;
  readonly mail: MailSender;
  readonly codeOf: VerificationCodeOf;
}

/**
 * Mails an account's owner what happened (specification, section 5; product decisions, "Verification codes and e-mail"). A code that was
 * replaced, used or taken back meanwhile, or has expired, is not mailed any more, nor is anybody whose account is closed.
 */
export function accountMailJob({ commands, mail, codeOf }: AccountMailDependencies, now: () => number = Date.now): JobHandler<'account-mail'> {
  return async ({ about, accountId, issuanceId }) => {
    const { state } = await commands.load(account, accountId);
    // One that stands in for an address that has another account is never written to (decision 0022).
    if (!state || state.repeatOf !== null) return;
    const text = textOf(about, state, issuanceId, codeOf, now());
    if (text) await mail.send({ id: mailId(about, issuanceId), to: state.email, ...text });
  };
}

/** Names a mail: the same event is told of in the same mail, however often its job runs. */
export function mailId(about: AccountMail, issuanceId: string): string {
  return `${about}-${issuanceId}`;
}

function textOf(about: AccountMail, state: RegisteredAccount, issuanceId: string, codeOf: VerificationCodeOf, now_ms: number): MailText | null {
  switch (about) {
    case 'verification':
      return isOpen(state.verification, issuanceId, now_ms) ? verificationText(codeOf(issuanceId)) : null;
    case 'password-reset':
      return isOpen(state.reset, issuanceId, now_ms) ? passwordResetText(codeOf(issuanceId)) : null;
    case 'sign-up-repeated':
      return signUpRepeatedText();
  }
}

function isOpen(code: IssuedCode | null, issuanceId: string, now_ms: number): boolean {
  return code?.issuanceId === issuanceId && Date.parse(code.expiresAt) > now_ms;
}
