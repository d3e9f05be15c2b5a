import {
  MailRejected,
  MailUnavailable,
  MailInProgress,
  PostponedJobError,
  UnrecoverableJobError,
  type Mail,
  type MailSender,
} from '@alpenglow/domain';

/**
 * Sends the mail of a background job. Throws `UnrecoverableJobError` if the mail is rejected permanently. Throws
 * `PostponedJobError` if the error states when to retry. Other errors are rethrown, and the job is then retried with
 * increasing delays.
 */
export async function sendMail(mail: MailSender, letter: Mail): Promise<void> {
  try {
    await mail.send(letter);
  } catch (error) {
    if (error instanceof MailRejected) throw new UnrecoverableJobError(error.message, { cause: error });
    if ((error instanceof MailInProgress || error instanceof MailUnavailable) && error.retryAfter_ms !== null)
      throw new PostponedJobError(error.message, { cause: error, after_ms: error.retryAfter_ms });
    throw error;
  }
}
