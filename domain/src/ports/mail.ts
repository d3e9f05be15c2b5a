export interface Mail {
  /** Recorded once per id, however often a job runs. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends one mail, once per `mail.id`. */
export interface MailSender {
  send(mail: Mail): Promise<void>;
}
