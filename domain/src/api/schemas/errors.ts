import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { ERRORS, type ErrorCode } from '../../error-catalogue.ts';
import { described, describedValues } from './common.ts';

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** An error response (RFC 9457). `message` is the error text for people. */
export const errorResponse = registerView('ErrorAnswer', {
  success: z.literal(false),
  error: described(z.string(), 'A general description of the error.'),
  message: described(z.string(), 'A description of the error for this operation.'),
  code: described(
    describedValues(CODES, (code) => `${ERRORS[code].status}: ${ERRORS[code].message}`),
    'The code of the error. The description of each code is its HTTP status and general description.',
  ),
  title: z.string(),
  status: described(z.int(), 'The HTTP status.'),
  requestId: described(z.string(), 'The `X-Request-Id` of this response, to quote in a support request.'),
  retryAfter_s: described(z.exactOptional(z.int()), 'Seconds after which a retry makes sense, as in `Retry-After`.'),
  fields: described(z.exactOptional(z.record(z.string(), z.string())), 'Error text by field.'),
  formerAd: described(
    z.exactOptional(z.object({ state: z.string(), city: z.string(), category: z.string() })),
    'With `AD_NOT_FOUND` of `GET /ads/{id}`: the last place of the ad, if it was posted.',
  ),
});
