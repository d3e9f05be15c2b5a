import { PASSWORD_RESET_LIFETIME_ms, PRODUCT_NAME, VERIFICATION_CODE_LIFETIME_ms } from '@alpenglow/domain';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/*
 * Plain text, and none of it from whoever caused the mail: anybody can sign up with anybody's address, and a name of their choosing would
 * carry their words to a stranger under ours. Mails about threads (`thread-mail-texts.ts`) name the thread: they go only to those who asked for them.
 */

export function verificationText(code: string): MailText {
  return letter(
    `Your ${PRODUCT_NAME} code`,
    `your code is ${code}. Enter it within ${minutes(VERIFICATION_CODE_LIFETIME_ms)} minutes to verify your e-mail address.`,
    `If you did not sign up at ${PRODUCT_NAME}, please ignore this mail: without the code, nothing happens.`,
  );
}

export function passwordResetText(code: string): MailText {
  return letter(
    `Reset your ${PRODUCT_NAME} password`,
    `your code is ${code}. Enter it within ${minutes(PASSWORD_RESET_LIFETIME_ms)} minutes, together with a new password.`,
    'If you did not ask for this, please ignore this mail: without the code, your password stays as it is. Never tell the code to anybody, not even to us.',
  );
}

/** What the owner of an address learns when somebody signs up with it again, who learns nothing (decision 0022). */
export function signUpRepeatedText(): MailText {
  return letter(
    `You already have an account at ${PRODUCT_NAME}`,
    'somebody has just signed up with your e-mail address, which has an account already. If it was you, please log in with the password you have, or choose "Forgot password" to set a new one.',
    'If it was not you, there is nothing to do: nobody has got into your account, and nobody was told that you have one.',
  );
}

/** What a provider learns of a request to be verified: neither what was decided nor why, since a mailbox may be seen by others. */
export function identityDecidedText(site: string): MailText {
  return letter(
    `Your request at ${PRODUCT_NAME}`,
    'somebody has looked at your request to be verified. What came of it is here for you to read after logging in:',
    `${site}/provider-profile`,
  );
}

/** A letter of ours, from greeting to signature. */
export function letter(subject: string, ...paragraphs: readonly string[]): MailText {
  return { subject, text: ['Hello,', ...paragraphs, `The ${PRODUCT_NAME} team`].join('\n\n') };
}

function minutes(duration_ms: number): number {
  return duration_ms / 60_000;
}
