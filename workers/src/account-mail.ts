import {
  account,
  mailId,
  MailRefused,
  MailUnavailable,
  MailUnderWay,
  PostponedJobError,
  UnrecoverableJobError,
  type AccountMail,
  type JobHandler,
  type MailSender,
  type RegisteredAccount,
  type VerificationCodeOf,
} from '@alpenglow/domain';
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
  return async ({ about, accountId, issuanceId, expiresAt }) => {
    if (Date.parse(expiresAt) <= now()) return;
    const { state } = await commands.load(account, accountId);
    // One that stands in for an address that has another account is never written to (decision 0022).
    if (!state || state.repeatOf !== null) return;
    const text = textOf(about, state, issuanceId, codeOf);
    if (text) await send(mail, { id: mailId(about, issuanceId), to: state.email, ...text });
  };
}

function textOf(about: AccountMail, state: RegisteredAccount, issuanceId: string, codeOf: VerificationCodeOf): MailText | null {
  switch (about) {
    case 'verification':
      return state.verification?.issuanceId === issuanceId ? verificationText(codeOf(issuanceId)) : null;
    case 'password-reset':
      return state.reset?.issuanceId === issuanceId ? passwordResetText(codeOf(issuanceId)) : null;
    case 'sign-up-repeated':
      return signUpRepeatedText();
  }
}

/** What a refusal means for the job: it is over, it waits as long as it was told, or (thrown on) it is tried again with backoff. */
async function send(mail: MailSender, letter: Parameters<MailSender['send']>[0]): Promise<void> {
  try {
    await mail.send(letter);
  } catch (error) {
    if (error instanceof MailRefused) throw new UnrecoverableJobError(error.message, { cause: error });
    if (error instanceof MailUnderWay) throw new PostponedJobError(error.message, { cause: error, after_ms: error.retryAfter_ms });
    if (error instanceof MailUnavailable && error.retryAfter_ms !== null) throw new PostponedJobError(error.message, { cause: error, after_ms: error.retryAfter_ms });
    throw error;
  }
}
