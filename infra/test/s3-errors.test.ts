import { inspect } from 'node:util';
import { BlobNotFound, BlobStoreRefusal, BlobStoreUnavailable } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { failureOf, isMissingObject } from '../src/adapters/s3/errors.ts';

/** Errors as the client of S3 throws them. */
const answered = (name: string, status: number) =>
  Object.assign(new Error('told by the store'), {
    name,
    $fault: 'client',
    $metadata: { httpStatusCode: status },
    AWSAccessKeyId: 'the-key-id',
    StringToSign: 'the-string',
  });
const failed = (code: string, name = 'Error') => Object.assign(new Error('told by the system'), { name, code });
const timedOut = Object.assign(new Error('too late'), { name: 'TimeoutError' });

describe('what waiting may mend', () => {
  test.each([
    ['an internal error', answered('InternalError', 500)],
    ['a gateway without its server', answered('BadGateway', 502)],
    ['shed load', answered('SlowDown', 503)],
    ['shed load of another store', answered('TooManyRequests', 429)],
    ['a request that took too long to arrive', answered('RequestTimeout', 400)],
    ['a bucket being made by another process', answered('OperationAborted', 409)],
    ['a refused connection', failed('ECONNREFUSED')],
    ['a broken connection', failed('ECONNRESET', 'TimeoutError')],
    ['a name that does not resolve now', failed('EAI_AGAIN')],
    ['silence', timedOut],
  ])('%s', (_what, error) => {
    expect(failureOf(error)).toBeInstanceOf(BlobStoreUnavailable);
  });
});

describe('what it does not', () => {
  test.each([
    ['no permission', answered('AccessDenied', 403)],
    ['a bucket that is gone', answered('NoSuchBucket', 404)],
    ['something the store cannot do', answered('NotImplemented', 501)],
    ['a request it does not understand', answered('InvalidArgument', 400)],
  ])('%s', (_what, error) => {
    expect(failureOf(error)).toBeInstanceOf(Error);
    expect(failureOf(error)).not.toBeInstanceOf(BlobStoreUnavailable);
    expect(String(failureOf(error))).toContain(error.name);
  });

  test.each([new TypeError('a mistake of ours'), new BlobNotFound('a'), failed('ENOENT')])(
    '%s stays as it is',
    (error) => {
      expect(failureOf(error)).toBe(error);
    },
  );
});

test('what whoever runs the store may mend is told from what is wrong with the request', () => {
  expect(failureOf(answered('AccessDenied', 403))).toBeInstanceOf(BlobStoreRefusal);
  expect(failureOf(answered('NoSuchBucket', 404))).toBeInstanceOf(BlobStoreRefusal);
  expect(failureOf(answered('InvalidArgument', 400))).not.toBeInstanceOf(BlobStoreRefusal);
});

test('nothing that was sent or received goes along', () => {
  for (const error of [answered('SignatureDoesNotMatch', 403), answered('SlowDown', 503)]) {
    expect(inspect(failureOf(error), { depth: 10, showHidden: true })).not.toMatch(/the-key-id|the-string|told by/u);
  }
});

test('an object is missing, which is not so of a bucket', () => {
  expect(isMissingObject(answered('NoSuchKey', 404))).toBe(true);
  expect(isMissingObject(answered('NotFound', 404))).toBe(true);
  expect(isMissingObject(answered('NoSuchBucket', 404))).toBe(false);
  expect(isMissingObject(answered('AccessDenied', 403))).toBe(false);
});
