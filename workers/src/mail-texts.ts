import { PASSWORD_RESET_LIFETIME_ms, PRODUCT_NAME, VERIFICATION_CODE_LIFETIME_ms } from '@alpenglow/domain';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/*
 * The mails are plain text and contain no text of the person who caused them. Anyone can sign up with another person's
 * address, and must not be able to send that person a message. Mails about threads contain the title of the thread,
 * because only accounts that follow the thread receive them.
 */

/** Returns the mail with the code that verifies an e-mail address. */
export function verificationMailText(code: string): MailText {
  return composeMail(
    `Your ${PRODUCT_NAME} code`,
    `Your code is ${code}. Enter it within ${minutes(VERIFICATION_CODE_LIFETIME_ms)} minutes ` +
      'to verify your e-mail address.',
    `If you did not sign up at ${PRODUCT_NAME}, please ignore this e-mail. Nothing happens without the code.`,
  );
}

/** Returns the mail with the code that resets a password. */
export function passwordResetMailText(code: string): MailText {
  return composeMail(
    `Reset your ${PRODUCT_NAME} password`,
    `Your code is ${code}. Enter it within ${minutes(PASSWORD_RESET_LIFETIME_ms)} ` +
      'minutes, together with a new password.',
    'If you did not request this, please ignore this e-mail. Your password does not change without the code. ' +
      'Never share the code with anyone, not even with us.',
  );
}

/**
 * Returns the mail that notifies the owner of an e-mail address of a repeated sign-up with this address. The response
 * to the sign-up does not reveal that the address already has an account (decision 0022).
 */
export function repeatedSignUpMailText(): MailText {
  return composeMail(
    `You already have an account at ${PRODUCT_NAME}`,
    'Someone has just signed up with your e-mail address, which already has an account. ' +
      'If this was you, please log in with your existing password, or choose "Forgot your password?" to set a new one.',
    'If this was not you, you do not need to do anything. ' +
      'Nobody has accessed your account, and nobody was told that you have one.',
  );
}

/**
 * Returns the mail about a decided identity check. The mail contains neither the decision nor its reason, because other
 * persons may have access to the mailbox.
 */
export function identityDecisionMailText(site: string): MailText {
  return composeMail(
    `Your request at ${PRODUCT_NAME}`,
    'Your verification request has been reviewed. Log in to read the decision:',
    `${site}/provider-profile`,
  );
}

/** Returns a mail with these paragraphs between the greeting and the signature. */
export function composeMail(subject: string, ...paragraphs: readonly string[]): MailText {
  return { subject, text: ['Hello,', ...paragraphs, `The ${PRODUCT_NAME} team`].join('\n\n') };
}

function minutes(duration_ms: number): number {
  return duration_ms / 60_000;
}
