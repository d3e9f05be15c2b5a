import {
  MailRefused,
  MailUnavailable,
  MailUnderWay,
  PostponedJobError,
  UnrecoverableJobError,
  type Mail,
  type MailSender,
} from '@alpenglow/domain';

/** Sends a job's mail. What a refusal means for the job: it is over, it waits as long as it was told, or (thrown on) it is tried again with backoff. */
export async function sendMail(mail: MailSender, letter: Mail): Promise<void> {
  try {
    await mail.send(letter);
  } catch (error) {
    if (error instanceof MailRefused) throw new UnrecoverableJobError(error.message, { cause: error });
    if (error instanceof MailUnderWay)
      throw new PostponedJobError(error.message, { cause: error, after_ms: error.retryAfter_ms });
    if (error instanceof MailUnavailable && error.retryAfter_ms !== null)
      throw new PostponedJobError(error.message, { cause: error, after_ms: error.retryAfter_ms });
    throw error;
  }
}
