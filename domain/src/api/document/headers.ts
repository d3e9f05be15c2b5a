import { IDEMPOTENCY_ms, WAIT_POSITION_ms } from '../../constants.ts';
import type { AnswerHeader, RequestHeader } from '../operation.ts';
import type { HeaderObject, ParameterObject } from './openapi.ts';

/** Headers of requests and answers, each described once. */

const HOUR_ms = 3_600_000;
const string = { type: 'string' };
const header = (
  name: string,
  description: string,
  schema: ParameterObject['schema'],
  example: string,
): ParameterObject => ({ name, in: 'header', required: false, description, schema, example });

export const REQUEST_HEADERS: Readonly<Record<RequestHeader | 'X-Request-Id', ParameterObject>> = {
  'X-Request-Id': header(
    'X-Request-Id',
    'An id of yours for this request, 8 to 64 letters, digits and . _ -; one that is not is replaced.',
    { type: 'string', pattern: '^[A-Za-z0-9_.-]{8,64}$' },
    'my-request-0001',
  ),
  'If-Match': header(
    'If-Match',
    'The `ETag` of what you have seen, or `*`: refused with 412 when it has changed since.',
    string,
    '"3"',
  ),
  'If-None-Match': header(
    'If-None-Match',
    'The `ETag` of what you have: answered with 304 when nothing has changed.',
    string,
    '"3"',
  ),
  'Idempotency-Key': header(
    'Idempotency-Key',
    `A key of your own, 1 to 128 letters, digits and . _ : -. The same key answers the same for ${IDEMPOTENCY_ms / HOUR_ms} hours, without doing it twice.`,
    { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
    'b1c9a4c2-9c59-4b43-8d2a-6ad0a3b1d1de',
  ),
  'X-Wait-Position': header(
    'X-Wait-Position',
    `The \`X-Position\` of a write: waits up to ${WAIT_POSITION_ms / 1000} s until the answer shows it.`,
    string,
    '0000000000000042',
  ),
  Range: header('Range', 'The bytes that are wanted.', string, 'bytes=0-1023'),
};

export const ANSWER_HEADERS: Readonly<Record<AnswerHeader | 'X-Request-Id' | 'Retry-After', HeaderObject>> = {
  'X-Request-Id': { description: 'The id of this request, yours where it was one.', schema: string },
  'Retry-After': { description: 'Seconds after which a retry makes sense.', schema: { type: 'integer', minimum: 0 } },
  ETag: { description: 'The version of what is answered; of a write, the revision it made.', schema: string },
  'X-Position': {
    description: 'Where this write stands among all; for `X-Wait-Position`. Absent where nothing had to be written.',
    schema: string,
  },
  Location: { description: 'Where what was made is found.', schema: string },
  'Content-Range': { description: 'Which bytes these are.', schema: string },
  'Accept-Ranges': { description: '`bytes`.', schema: string },
  'Idempotency-Replayed': {
    description: '`true` where this is the answer of the first request with this `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  'Content-Length': { description: 'How many bytes follow.', schema: { type: 'integer', minimum: 0 } },
};
