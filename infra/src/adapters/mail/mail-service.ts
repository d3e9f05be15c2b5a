import {
  MAIL_SERVICE_VERSION,
  MailRefused,
  MailUnavailable,
  type Mail,
  type MailReceipt,
  type MailTransport,
} from '@alpenglow/domain';
import * as z from 'zod';
import { withoutPersonalData } from './personal-data.ts';

export interface MailServiceOptions {
  /** What `/api/v1.0/email/send` is added to. */
  readonly url: string;
  readonly serviceId: string;
  /** Of a template with the parameters `to_email`, `subject`, `message` and `message_id`. */
  readonly templateId: string;
  readonly publicKey: string;
  /** Null where the service asks for none. */
  readonly privateKey: string | null;
  /** 15 seconds unless told. */
  readonly sendLimit_ms?: number;
}

const SEND_LIMIT_ms = 15_000;
/** How long nothing is sent after a 429 that does not say how long. */
const BACK_OFF_ms = 10_000;
/** No longer, whatever the service says: by then no code of today is worth mailing. */
const LONGEST_BACK_OFF_ms = 60 * 60_000;
const MAX_ANSWER_bytes = 1_024;

/** Answers that say that the request may be made again. */
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

/** Mails through the e-mail sending service of the specification, section 7. */
export function createMailServiceTransport({
  url,
  serviceId,
  templateId,
  publicKey,
  privateKey,
  sendLimit_ms = SEND_LIMIT_ms,
}: MailServiceOptions): MailTransport {
  const address = `${url.replace(/\/+$/u, '')}/api/v1.0/email/send`;
  let closedUntil_ms = 0;

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
      throw new MailRefused(
        `The mail service would not take this: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
      );
    return JSON.stringify(parsed.data);
  };

  return {
    sendLimit_ms,
    takesOnce: false,
    async send(mail) {
      const left_ms = closedUntil_ms - Date.now();
      if (left_ms > 0) throw new MailUnavailable('The mail service takes nothing for a while', left_ms);
      const answer = await post(address, bodyOf(mail), sendLimit_ms);
      if (answer.status === TOO_MANY_REQUESTS) closedUntil_ms = Date.now() + backOff_ms(answer.retryAfter);
      return receiptOf(answer);
    },
    close: () => Promise.resolve(),
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

async function post(address: string, body: string, limit_ms: number): Promise<Answer> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      // The keys are for this address alone.
      redirect: 'manual',
      signal: AbortSignal.timeout(limit_ms),
    });
    return {
      status: response.status,
      text: await beginningOf(response),
      retryAfter: response.headers.get('retry-after'),
    };
  } catch (error) {
    throw new MailUnavailable(`The mail service did not answer: ${faultOf(error)}`);
  }
}

/** The first kilobyte of an answer. */
async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_ANSWER_bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_bytes).toString('utf8');
}

function receiptOf({ status, text, retryAfter }: Answer): MailReceipt {
  const said = `${status} ${withoutPersonalData(text)}`.trim();
  if (status === 200 && text.trim() === 'OK') return { answer: null };
  if (status === TOO_MANY_REQUESTS)
    throw new MailUnavailable(`The mail service is asked too often: ${said}`, backOff_ms(retryAfter));
  if (status < 300 || status >= 500 || status === REQUEST_TIMEOUT || status === TOO_EARLY)
    throw new MailUnavailable(`The mail service did not take the mail: ${said}`);
  throw new MailRefused(`The mail service refused the mail: ${said}`);
}

/** `Retry-After`: seconds, or a date. */
function backOff_ms(retryAfter: string | null): number {
  const wait_ms = /^\d+$/u.test(retryAfter ?? '')
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter ?? '') - Date.now();
  return Number.isFinite(wait_ms) ? Math.min(Math.max(wait_ms, 1_000), LONGEST_BACK_OFF_ms) : BACK_OFF_ms;
}

/** The system's word for it, such as ECONNREFUSED; fetch itself says only that it failed. */
function faultOf(error: unknown): string {
  const { name, cause } = error as Error;
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? name;
}
