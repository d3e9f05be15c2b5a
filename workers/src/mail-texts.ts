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
    `your code is ${code}. Enter it within ${minutes(VERIFICATION_CODE_LIFETIME_ms)} minutes ` +
      'to verify your e-mail address.',
    `If you did not sign up at ${PRODUCT_NAME}, please ignore this mail: without the code, nothing happens.`,
  );
}

/** Returns the mail with the code that resets a password. */
export function passwordResetMailText(code: string): MailText {
  return composeMail(
    `Reset your ${PRODUCT_NAME} password`,
    `your code is ${code}. Enter it within ${minutes(PASSWORD_RESET_LIFETIME_ms)} ` +
      'minutes, together with a new password.',
    'If you did not ask for this, please ignore this mail: without the code, your password stays as it is. ' +
      'Never tell the code to anybody, not even to us.',
  );
}

/**
 * Returns the mail that notifies the owner of an address of a repeated sign-up. The response to the sign-up
 * does not reveal that the address has an account (decision 0022).
 */
export function repeatedSignUpMailText(): MailText {
  return composeMail(
    `You already have an account at ${PRODUCT_NAME}`,
    'somebody has just signed up with your e-mail address, which has an account already. ' +
      'If it was you, please log in with the password you have, or choose "Forgot password" to set a new one.',
    'If it was not you, there is nothing to do: ' +
      'nobody has got into your account, and nobody was told that you have one.',
  );
}

/**
 * Returns the mail about a decided identity check. It contains neither the decision nor its reason, because other
 * persons may have access to the mailbox.
 */
export function identityDecisionMailText(site: string): MailText {
  return composeMail(
    `Your request at ${PRODUCT_NAME}`,
    'somebody has looked at your request to be verified. What came of it is here for you to read after logging in:',
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
