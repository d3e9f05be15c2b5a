import { IDEMPOTENCY_KEY_LIFETIME_ms, POSITION_WAIT_MAX_ms } from '../../constants.ts';
import type { ResponseHeader, RequestHeader } from '../operation.ts';
import type { HeaderObject, ParameterObject } from './openapi.ts';

/** The request and response headers of the API, with their descriptions for the API document. */

const HOUR_ms = 3_600_000;
const string = { type: 'string' };
const header = (
  name: string,
  description: string,
  schema: ParameterObject['schema'],
  example: string,
): ParameterObject => ({ name, in: 'header', description, schema, example });

export const REQUEST_HEADERS: Readonly<Record<RequestHeader | 'X-Request-Id', ParameterObject>> = {
  'X-Request-Id': header(
    'X-Request-Id',
    'An id for this request, 8 to 64 letters, digits and . _ -. An invalid id is replaced.',
    { type: 'string', pattern: '^[A-Za-z0-9_.-]{8,64}$' },
    'my-request-0001',
  ),
  'If-Match': header(
    'If-Match',
    'The last `ETag` of the resource, or `*`. The response is 412 if it has changed since.',
    string,
    '"3"',
  ),
  'If-None-Match': header(
    'If-None-Match',
    'The last `ETag` of the resource. The response is 304 if nothing has changed.',
    string,
    '"3"',
  ),
  'Idempotency-Key': header(
    'Idempotency-Key',
    'A key chosen by the client, 1 to 128 letters, digits and . _ : -. ' +
      `A repeated key returns the first response for ${IDEMPOTENCY_KEY_LIFETIME_ms / HOUR_ms} hours, ` +
      'without a second write. After status 5xx, repeat the request with the same key.',
    { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
    'b1c9a4c2-9c59-4b43-8d2a-6ad0a3b1d1de',
  ),
  'X-Wait-Position': header(
    'X-Wait-Position',
    `The \`X-Position\` of one to four writes. The read waits up to ${POSITION_WAIT_MAX_ms / 1000} s to include them.`,
    string,
    '0000000000000042',
  ),
  'X-Removal-Token': header(
    'X-Removal-Token',
    'The token at the end of the `statusUrl` of a removal request. It replaces a login.',
    string,
    'lz7dWcE0RjzT0mAjQkPqFvYb2uXhS1n9eGgJ4oKtM8w',
  ),
  'Tus-Resumable': header('Tus-Resumable', 'The version of the tus protocol, `1.0.0`.', string, '1.0.0'),
  'Upload-Length': header('Upload-Length', 'The size of the file in bytes.', string, '5242880'),
  'Upload-Offset': header('Upload-Offset', 'The offset of the first byte of the body in the file.', string, '0'),
  Range: header('Range', 'The requested range of bytes.', string, 'bytes=0-1023'),
};

export const RESPONSE_HEADERS: Readonly<Record<ResponseHeader | 'Retry-After', HeaderObject>> = {
  'Retry-After': { description: 'Seconds after which a retry makes sense.', schema: { type: 'integer', minimum: 0 } },
  ETag: { description: 'The version of the resource. For a write, the new revision.', schema: string },
  'X-Position': {
    description: 'An opaque token of the position of this write, for `X-Wait-Position`. Absent if nothing was written.',
    schema: string,
  },
  Location: { description: 'The address of the created resource, or of the page to open.', schema: string },
  'Content-Range': { description: 'The range of bytes in the response.', schema: string },
  'Accept-Ranges': { description: '`bytes`.', schema: string },
  'Idempotency-Replayed': {
    description: '`true` if this is the response to the first request with this `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  'Upload-Length': { description: 'The size of the file in bytes.', schema: { type: 'integer', minimum: 0 } },
  'Upload-Offset': { description: 'Number of bytes that the server has.', schema: { type: 'integer', minimum: 0 } },
  'Upload-Expires': { description: 'The time after which an incomplete upload is removed.', schema: string },
  'Content-Length': { description: 'Number of bytes in the body.', schema: { type: 'integer', minimum: 0 } },
};
