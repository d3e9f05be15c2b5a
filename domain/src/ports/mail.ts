import type { AccountMail } from './job-queue.ts';

export interface Mail {
  /** The same for the same mail, however often it is tried: letters, digits and hyphens. */
  readonly id: string;
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** Where a mail program, asked for it, ends mails like this one with one POST (RFC 8058); null for mails one has to get. */
  readonly unsubscribeUrl: string | null;
}

/** The mail that tells of one event is the same however often its job runs: it has this id. */
export function mailId(about: AccountMail, issuanceId: string): string {
  return `${about}-${issuanceId}`;
}

/** What took a mail says of it, such as the id it goes on under; null where it says nothing. Never an address or the text. */
export interface MailReceipt {
  readonly answer: string | null;
}

/**
 * Takes mails on their way: an inbox, a mail server, a mail service. The messages of its errors carry no address, no code and no
 * credentials.
 */
export interface MailTransport {
  /** No `send` takes longer. */
  readonly sendLimit_ms: number;
  /** Whether it notices by itself that it has taken a mail before. */
  readonly takesOnce: boolean;
  /**
   * Resolves once the mail is taken. Rejects with `MailRefused` when it never will be, `MailUnavailable` when it may be later. A mail sent
   * again has the same id where whoever receives it can see it, so that two copies can be told to be one.
   */
  send(mail: Mail): Promise<MailReceipt>;
  close(): Promise<void>;
}

/** Sends mails, each once per `mail.id`. */
export interface MailSender {
  /** Resolves when the mail is sent, or was before. Rejects as a transport does, and with `MailUnderWay`. */
  send(mail: Mail): Promise<void>;
}

/** This mail will never be taken: the address is wrong, or we may not send. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

/** The mail was not taken now, or whether it was is unknown. */
export class MailUnavailable extends Error {
  override readonly name = 'MailUnavailable';
  constructor(
    message: string,
    /** How long no mail is taken, where we were told. */
    readonly retryAfter_ms: number | null = null,
  ) {
    super(message);
  }
}

/** Another process is sending this mail, or was when it died: ask again after this time. */
export class MailUnderWay extends Error {
  override readonly name = 'MailUnderWay';
  constructor(readonly retryAfter_ms: number) {
    super('The mail is being sent by another process');
  }
}
