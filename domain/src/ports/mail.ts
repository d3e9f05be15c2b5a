import type { AccountMailTopic } from './job-queue.ts';

export interface Mail {
  /** The id of the mail: letters, digits and hyphens. All attempts to send the mail use the same id. */
  readonly id: string;
  readonly to: string;
  /** Subject of the mail on a single line. */
  readonly subject: string;
  readonly text: string;
  /** The URL that unsubscribes from this kind of mail with one POST request (RFC 8058). Null for mandatory mails. */
  readonly unsubscribeUrl: string | null;
}

/**
 * Returns the id of a mail about one event, e.g. a password reset. If the job of the mail runs again, the mail has the
 * same id, so a second copy is recognized.
 */
export function createMailId(about: AccountMailTopic, issuanceId: string): string {
  return `${about}-${issuanceId}`;
}

/**
 * The response of the mail server to a mail, or null. It may contain the server's id of the mail, but neither the
 * address nor the text of the mail.
 */
export interface MailReceipt {
  readonly serverResponse: string | null;
}

/**
 * Delivers mails to an inbox, a mail server or a mail service. The error messages of a transport contain no address, no
 * code and no credentials.
 */
export interface MailTransport {
  /** Maximum duration of a call of `send`. */
  readonly sendTimeout_ms: number;
  /** True if the transport itself detects a repeated mail. */
  readonly detectsDuplicates: boolean;
  /**
   * Resolves when the mail is accepted. Rejects with `MailRejected` if the mail will never be accepted, and with
   * `MailUnavailable` if a retry may succeed. A repeated mail has the same id. Where possible, the delivered mail
   * contains this id, so that the recipient's mail program can recognize copies.
   */
  send(mail: Mail): Promise<MailReceipt>;
  close(): Promise<void>;
}

/** Sends mails. A mail with the same `mail.id` is sent only once. */
export interface MailSender {
  /**
   * Resolves when the mail is sent or was already sent. Rejects with `MailRejected`, `MailUnavailable` or
   * `MailInProgress`.
   */
  send(mail: Mail): Promise<void>;
}

/** The mail will never be accepted: the address is invalid, or sending is not allowed. */
export class MailRejected extends Error {
  override readonly name = 'MailRejected';
}

/** The mail was not accepted, or the result is unknown. A retry may succeed. */
export class MailUnavailable extends Error {
  override readonly name = 'MailUnavailable';
  constructor(
    message: string,
    /** Time until the server accepts mails again, if the server reported it. */
    readonly retryAfter_ms: number | null = null,
  ) {
    super(message);
  }
}

/** Another process is sending this mail, or has stopped while sending it. Retry after `retryAfter_ms`. */
export class MailInProgress extends Error {
  override readonly name = 'MailInProgress';
  constructor(readonly retryAfter_ms: number) {
    super('The mail is being sent by another process');
  }
}
