import { account, PRODUCT_NAME, VERIFICATION_CODE_LIFETIME_ms, type JobHandler, type MailSender, type VerificationCodeOf } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

export interface VerificationMailDependencies {
  readonly commands: CommandHandler;
  readonly mail: MailSender;
  readonly codeOf: VerificationCodeOf;
}

/** Mails a verification code. A code that was replaced or used meanwhile is not mailed any more. */
export function verificationMailJob({ commands, mail, codeOf }: VerificationMailDependencies): JobHandler<'verification-mail'> {
  return async ({ accountId, issuanceId }) => {
    const { state } = await commands.load(account, accountId);
    if (state?.verification?.issuanceId !== issuanceId) return;
    await mail.send({ id: issuanceId, to: state.email, subject: `Your ${PRODUCT_NAME} code`, text: textOf(state.displayName, codeOf(issuanceId)) });
  };
}

function textOf(displayName: string, code: string): string {
  const minutes = VERIFICATION_CODE_LIFETIME_ms / 60_000;
  return [
    `Hello ${displayName},`,
    `your code is ${code}. Enter it within ${minutes} minutes to verify your e-mail address.`,
    `If you did not sign up at ${PRODUCT_NAME}, please ignore this mail: without the code, nothing happens.`,
  ].join('\n\n');
}
