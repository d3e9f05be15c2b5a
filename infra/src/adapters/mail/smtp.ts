import { MailRefused, MailUnavailable, type Mail, type MailTransport } from '@alpenglow/domain';
import { createTransport } from 'nodemailer';
import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool';
import { withoutPersonalData } from './personal-data.ts';

export interface SmtpOptions {
  /**
   * `smtp://[user:password@]host[:port]` (STARTTLS) or `smtps://…` (TLS from the start). `?tls=off` sends in the clear, `?tls=required`
   * asks for TLS where it would not be: of `smtp:` on this machine.
   */
  readonly url: string;
  /** `address` or `Name <address>`. */
  readonly from: string;
  /** 30 seconds unless told. */
  readonly sendLimit_ms?: number;
}

const SEND_LIMIT_ms = 30_000;
const CONNECT_LIMIT_ms = 10_000;
const SOCKET_LIMIT_ms = 20_000;
const MAX_CONNECTIONS = 2;
/** A server may have hung up on a connection that was idle: then the mail goes over a new one. */
const RECONNECTIONS = 1;
const IDLE_ms = 60_000;
const DEFAULT_PORT = { smtp: 587, smtps: 465 };

/** What nodemailer's errors say beside their message, which may hold addresses. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  /** Set where the server has answered: whether it will always answer so. */
  readonly permanent?: boolean;
}

/** Mails over SMTP: one connection or two, kept open while there is something to send. */
export function createSmtpTransport({ url, from, sendLimit_ms = SEND_LIMIT_ms }: SmtpOptions): MailTransport {
  const connections = openConnections(serverOf(new URL(url)), sendLimit_ms);
  return {
    sendLimit_ms,
    takesOnce: false,
    async send(mail) {
      const { response } = await sendOver(connections, mail, from, sendLimit_ms);
      return { answer: withoutPersonalData(response) };
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
      // As an object it is never taken apart, whatever it looks like.
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

/** RFC 2369 and RFC 8058: a mail program shows a button that needs nothing but a click. Not taken apart into folded lines, the address stays whole. */
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

/** An error in our own words: the library's may hold the address it was about. */
function mailError({ code, command, response, permanent }: SmtpError): Error {
  const said = response === undefined ? (code ?? 'unknown error') : withoutPersonalData(response);
  const isOurFault = code === 'EENVELOPE' && response === undefined;
  const where = command === undefined ? '' : ` (${command})`;
  return permanent === true || isOurFault
    ? new MailRefused(`The mail server refused the mail${where}: ${said}`)
    : new MailUnavailable(`The mail server did not take the mail${where}: ${said}`);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./u.test(host);
}

/** The part of an address after its last `@`. */
function domainOf(from: string): string {
  return /@([^@\s>]+)>?\s*$/u.exec(from)?.[1] ?? 'localhost';
}
