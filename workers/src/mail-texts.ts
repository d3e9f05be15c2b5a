import {
  LOGIN_CODE_LIFETIME_ms,
  PASSWORD_RESET_LIFETIME_ms,
  PRODUCT_NAME,
  VERIFICATION_CODE_LIFETIME_ms,
} from '@alpenglow/domain';

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
    'The code works only where you signed up, or after you log in. ' +
      'It belongs to the latest sign-up with this address. ' +
      'If it is rejected, choose “Forgot your password?” on the login page.',
    `If you did not sign up at ${PRODUCT_NAME}, please ignore this e-mail. Nothing happens without the code.`,
  );
}

/** Returns the mail with the code that a login requires after many failed logins to the account. */
export function loginCodeMailText(code: string): MailText {
  return composeMail(
    `Your ${PRODUCT_NAME} login code`,
    `Your code is ${code}. Enter it within ${minutes(LOGIN_CODE_LIFETIME_ms)} minutes to finish logging in. ` +
      'We ask for it because there were many failed logins to your account.',
    'If you did not just log in, someone knows your password. ' +
      'Please choose “Forgot your password?” on the login page. Never share the code with anyone, not even with us.',
  );
}

/** Returns the mail with the code that resets a password. */
export function passwordResetMailText(code: string): MailText {
  return composeMail(
    `Reset your ${PRODUCT_NAME} password`,
    `Your code is ${code}. Enter it within ${minutes(PASSWORD_RESET_LIFETIME_ms)} ` +
      'minutes, together with a new password, in the browser in which you requested it.',
    'If you did not request this, please ignore this e-mail. Your password does not change without the code. ' +
      'Never share the code with anyone, not even with us.',
  );
}

/**
 * Returns the mail that notifies the owner of an e-mail address of a repeated sign-up with this address. The response
 * to the sign-up does not reveal that the address already has an account (decision 0055).
 */
export function repeatedSignUpMailText(): MailText {
  return composeMail(
    `You already have an account at ${PRODUCT_NAME}`,
    'Someone has just signed up with your e-mail address, which already has an account. ' +
      'If this was you, please log in with your existing password, or choose “Forgot your password?” to set a new one.',
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

const ACCOUNT_CHANGES = {
  'password-changed': [`Your ${PRODUCT_NAME} password was changed`, 'The password of your account was changed.'],
  'two-step-on': [
    `Two-step login is on at ${PRODUCT_NAME}`,
    'Two-step login was turned on for your account. Each login now needs a code from your authenticator app.',
  ],
  'two-step-off': [
    `Two-step login is off at ${PRODUCT_NAME}`,
    'Two-step login was turned off for your account. A login now needs only your password.',
  ],
  'role-changed': [`Your role at ${PRODUCT_NAME} was changed`, 'An admin changed the role of your account.'],
} as const;

/** Returns the warning about a change of the password, of two-step login or of the role. */
export function accountChangeMailText(about: keyof typeof ACCOUNT_CHANGES, site: string): MailText {
  const [subject, change] = ACCOUNT_CHANGES[about];
  return composeMail(
    subject,
    change,
    'If this was you, or if you expected it, you do not need to do anything. ' +
      'Otherwise please set a new password now, which ends every session of your account:',
    `${site}/forgot-password`,
  );
}

/** Returns a mail with these paragraphs between the greeting and the signature. */
export function composeMail(subject: string, ...paragraphs: readonly string[]): MailText {
  return { subject, text: ['Hello,', ...paragraphs, `The ${PRODUCT_NAME} team`].join('\n\n') };
}

function minutes(duration_ms: number): number {
  return duration_ms / 60_000;
}
