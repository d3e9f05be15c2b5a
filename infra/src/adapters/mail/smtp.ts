import { MailRejected, MailUnavailable, type Mail, type MailTransport } from '@alpenglow/domain';
import { createTransport } from 'nodemailer';
import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool';
import { withoutPersonalData } from './without-personal-data.ts';

export interface SmtpOptions {
  /**
   * `smtp://[user:password@]host[:port]` (STARTTLS) or `smtps://…` (TLS from the start). `?tls=off` sends without
   * encryption. `?tls=required` requires TLS. It is the default, except for a mail server on this machine, where TLS is
   * off by default.
   */
  readonly url: string;
  /** The sender as `address` or `Name <address>`. */
  readonly from: string;
  /** The time limit of sending a mail. Defaults to 30 seconds. */
  readonly sendLimit_ms?: number;
}

const SEND_LIMIT_ms = 30_000;
const CONNECT_LIMIT_ms = 10_000;
const SOCKET_LIMIT_ms = 20_000;
/**
 * The number of mails that the workers of a process send at the same time. `reply-mails` sends four (`PARALLEL`). Each
 * other kind of job sends one. No mail waits for a connection, even if the server is slow.
 */
const MAX_CONNECTIONS = 8;
/** The number of retries over a new connection. A retry is needed if the server has closed an idle connection. */
const RECONNECTIONS = 1;
const IDLE_ms = 60_000;
const DEFAULT_PORT = { smtp: 587, smtps: 465 };

/**
 * The used fields of the errors of nodemailer, the mail library. Their message is not used, because it may contain mail
 * addresses.
 */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  /** Defined if the mail server has responded. True if the error is permanent. */
  readonly permanent?: boolean;
}

/**
 * Creates a transport that sends mails over SMTP. It uses up to eight connections, which stay open while there are
 * mails to send.
 */
export function createSmtpTransport({ url, from, sendLimit_ms = SEND_LIMIT_ms }: SmtpOptions): MailTransport {
  const connections = openConnections(serverOf(new URL(url)), sendLimit_ms);
  return {
    sendTimeout_ms: sendLimit_ms,
    detectsDuplicates: false,
    async send(mail) {
      const { response } = await sendOver(connections, mail, from, sendLimit_ms);
      return { serverResponse: withoutPersonalData(response) };
    },
    close() {
      connections.close({ force: true });
      return Promise.resolve();
    },
  };
}

type Connections = ReturnType<typeof openConnections>;

function openConnections(server: SMTPPoolOptions, limit_ms: number) {
  return createTransport({
    ...server,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxRequeues: RECONNECTIONS,
    idleTimeout: IDLE_ms,
    connectionTimeout: Math.min(CONNECT_LIMIT_ms, limit_ms),
    greetingTimeout: Math.min(CONNECT_LIMIT_ms, limit_ms),
    socketTimeout: Math.min(SOCKET_LIMIT_ms, limit_ms),
    dnsTimeout: Math.min(CONNECT_LIMIT_ms, limit_ms),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

async function sendOver(
  connections: Connections,
  { id, to, subject, text, unsubscribeUrl }: Mail,
  from: string,
  limit_ms: number,
): Promise<{ response: string }> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), limit_ms);
  try {
    return await connections.sendMail({
      from,
      // The address is passed as an object, because nodemailer, the mail library, does not parse the address then.
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@${domainOf(from)}>`,
      headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribeUrl) },
      signal: ending.signal,
    });
  } catch (error) {
    throw mailError(error as SmtpError);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the mail headers of RFC 2369 and RFC 8058, with which a mail program shows a one-click unsubscribe button.
 * `prepared` prevents line breaks in the URL.
 */
function unsubscribeHeaders(url: string | null) {
  return url === null
    ? {}
    : {
        'List-Unsubscribe': { prepared: true, value: `<${url}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      };
}

function serverOf({ protocol, hostname, port, username, password, searchParams }: URL): SMTPPoolOptions {
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/gu, '');
  const tls = searchParams.get('tls') ?? (isLoopback(host) ? 'off' : 'required');
  return {
    host,
    port: port === '' ? DEFAULT_PORT[secure ? 'smtps' : 'smtp'] : Number(port),
    secure,
    requireTLS: !secure && tls === 'required',
    ignoreTLS: !secure && tls === 'off',
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  };
}

/**
 * Converts an error of the mail library to ours, with a new message. The library's message is not used, because it may
 * contain the mail address.
 */
function mailError({ code, command, response, permanent }: SmtpError): Error {
  const reason = response === undefined ? (code ?? 'unknown error') : withoutPersonalData(response);
  const isInvalidEnvelope = code === 'EENVELOPE' && response === undefined;
  const inCommand = command === undefined ? '' : ` (${command})`;
  return permanent === true || isInvalidEnvelope
    ? new MailRejected(`The mail server rejected the mail${inCommand}: ${reason}`)
    : new MailUnavailable(`The mail server did not accept the mail${inCommand}: ${reason}`);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./u.test(host);
}

function domainOf(from: string): string {
  return /@([^@\s>]+)>?\s*$/u.exec(from)?.[1] ?? 'localhost';
}
