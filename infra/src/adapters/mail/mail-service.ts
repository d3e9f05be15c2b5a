import {
  MAIL_SERVICE_VERSION,
  MailRejected,
  MailUnavailable,
  type Mail,
  type MailReceipt,
  type MailTransport,
} from '@alpenglow/domain';
import * as z from 'zod';
import { withoutPersonalData } from './without-personal-data.ts';

export interface MailServiceOptions {
  /** The base URL, to which `/api/v1.0/email/send` is appended. */
  readonly url: string;
  readonly serviceId: string;
  /** The id of a template with the parameters `to_email`, `subject`, `message` and `message_id`. */
  readonly templateId: string;
  readonly publicKey: string;
  /** Null if the mail service requires no private key. */
  readonly privateKey: string | null;
  /** The time limit of sending a mail. Defaults to 15 seconds. */
  readonly sendLimit_ms?: number;
}

const SEND_LIMIT_ms = 15_000;
/** The wait after a response with status 429 (too many requests) that has no `Retry-After` header. */
const BACK_OFF_ms = 10_000;
/**
 * The maximum wait after a response with status 429, even if the service requests a longer one. All codes in waiting
 * mails expire within this time.
 */
const LONGEST_BACK_OFF_ms = 60 * 60_000;
const MAX_RESPONSE_bytes = 1_024;

/** HTTP status codes after which the same request may be sent again. */
const REQUEST_TIMEOUT = 408;
const TOO_EARLY = 425;
const TOO_MANY_REQUESTS = 429;

const payload = z.object({
  lib_version: z.literal(MAIL_SERVICE_VERSION),
  user_id: z.string().min(1),
  service_id: z.string().min(1),
  template_id: z.string().min(1),
  template_params: z.record(z.string(), z.string()),
  accessToken: z.string().min(1).optional(),
});

/** Creates a transport that sends mails through the e-mail sending service. */
export function createMailServiceTransport({
  url,
  serviceId,
  templateId,
  publicKey,
  privateKey,
  sendLimit_ms = SEND_LIMIT_ms,
}: MailServiceOptions): MailTransport {
  const address = `${url.replace(/\/+$/u, '')}/api/v1.0/email/send`;
  // Many mails to followers may exceed the limit of the service. This must not block mandatory mails, such as codes.
  const blockedUntil_ms = { mandatory: 0, optional: 0 };

  const bodyOf = ({ id, to, subject, text }: Mail): string => {
    const parsed = payload.safeParse({
      lib_version: MAIL_SERVICE_VERSION,
      user_id: publicKey,
      service_id: serviceId,
      template_id: templateId,
      template_params: { to_email: to, subject, message: text, message_id: id },
      ...(privateKey !== null && { accessToken: privateKey }),
    });
    if (!parsed.success)
      throw new MailRejected(
        `The mail service does not accept this: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
      );
    return JSON.stringify(parsed.data);
  };

  return {
    sendTimeout_ms: sendLimit_ms,
    detectsDuplicates: false,
    async send(mail) {
      const lane = mail.unsubscribeUrl === null ? 'mandatory' : 'optional';
      const left_ms = blockedUntil_ms[lane] - Date.now();
      if (left_ms > 0) throw new MailUnavailable('The mail service accepts no mails at the moment', left_ms);
      const response = await post(address, bodyOf(mail), sendLimit_ms);
      if (response.status === TOO_MANY_REQUESTS) blockedUntil_ms[lane] = Date.now() + backOff_ms(response.retryAfter);
      return receiptOf(response);
    },
    close: () => Promise.resolve(),
  };
}

type ServiceResponse = Awaited<ReturnType<typeof post>>;

async function post(address: string, body: string, limit_ms: number) {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      // Redirects are not followed, because the secret keys in the body must be sent only to this address.
      redirect: 'manual',
      signal: AbortSignal.timeout(limit_ms),
    });
    return {
      status: response.status,
      text: await beginningOf(response),
      retryAfter: response.headers.get('retry-after'),
    };
  } catch (error) {
    throw new MailUnavailable(`The mail service did not respond: ${errorCodeOf(error)}`);
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_RESPONSE_bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_bytes).toString('utf8');
}

function receiptOf({ status, text, retryAfter }: ServiceResponse): MailReceipt {
  const reason = `${status} ${withoutPersonalData(text)}`.trim();
  if (status === 200 && text.trim() === 'OK') return { serverResponse: null };
  if (status === TOO_MANY_REQUESTS)
    throw new MailUnavailable(`The mail service receives too many requests: ${reason}`, backOff_ms(retryAfter));
  if (status < 300 || status >= 500 || status === REQUEST_TIMEOUT || status === TOO_EARLY)
    throw new MailUnavailable(`The mail service did not accept the mail: ${reason}`);
  throw new MailRejected(`The mail service rejected the mail: ${reason}`);
}

/**
 * Returns the time in ms after which the mail service accepts requests again. `retryAfter` is the value of the header
 * `Retry-After`, which is a number of seconds, a date, or null.
 */
function backOff_ms(retryAfter: string | null): number {
  const wait_ms = /^\d+$/u.test(retryAfter ?? '')
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter ?? '') - Date.now();
  return Number.isFinite(wait_ms) ? Math.min(Math.max(wait_ms, 1_000), LONGEST_BACK_OFF_ms) : BACK_OFF_ms;
}

/**
 * Returns the operating system's error code, such as ECONNREFUSED, because the error message of `fetch` does not
 * contain the reason.
 */
function errorCodeOf(error: unknown): string {
  const { name, cause } = error as Error;
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? name;
}
