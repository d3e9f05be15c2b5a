import * as z from 'zod/mini';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import { said } from './common.ts';

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** Every refusal, RFC 9457. `message` carries the quoted text of the specification, section 8. */
export const errorAnswer = z.object({
  success: z.literal(false),
  error: said(z.string(), 'What went wrong, in general words.'),
  message: said(z.string(), 'What went wrong, in words for this call.'),
  code: z.enum(CODES),
  title: z.string(),
  status: said(z.int(), 'The HTTP status.'),
  requestId: said(z.string(), 'The `X-Request-Id` of this answer, to be named to whoever looks into it.'),
  retryAfter_s: said(z.exactOptional(z.int()), 'Seconds after which a retry makes sense, as in `Retry-After`.'),
  fields: said(z.exactOptional(z.record(z.string(), z.string())), 'Field → what is wrong with it.'),
});
