import { inspect } from 'node:util';
import { BlobNotFound, BlobStoreDenied, BlobStoreUnavailable } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { toBlobStoreError, isMissingObject } from '../src/adapters/s3/errors.ts';

/** Returns an error in the format of the S3 client's errors. */
const storeError = (name: string, status: number) =>
  Object.assign(new Error('reported by the store'), {
    name,
    $fault: 'client',
    $metadata: { httpStatusCode: status },
    AWSAccessKeyId: 'the-key-id',
    StringToSign: 'the-string',
  });
const systemError = (code: string, name = 'Error') =>
  Object.assign(new Error('reported by the system'), { name, code });
const timedOut = Object.assign(new Error('too late'), { name: 'TimeoutError' });

describe('a transient error', () => {
  test.each([
    ['an internal error', storeError('InternalError', 500)],
    ['a gateway without its server', storeError('BadGateway', 502)],
    ['an overloaded store', storeError('SlowDown', 503)],
    ['an overloaded store of another vendor', storeError('TooManyRequests', 429)],
    ['a request that took too long to arrive', storeError('RequestTimeout', 400)],
    ['a bucket that another process is creating', storeError('OperationAborted', 409)],
    ['a refused connection', systemError('ECONNREFUSED')],
    ['a broken connection', systemError('ECONNRESET', 'TimeoutError')],
    ['a name that does not resolve now', systemError('EAI_AGAIN')],
    ['a request without a response', timedOut],
  ])('is %s', (_what, error) => {
    expect(toBlobStoreError(error)).toBeInstanceOf(BlobStoreUnavailable);
  });
});

describe('a permanent error', () => {
  test.each([
    ['no permission', storeError('AccessDenied', 403)],
    ['a missing bucket', storeError('NoSuchBucket', 404)],
    ['something the store cannot do', storeError('NotImplemented', 501)],
    ['a request it does not understand', storeError('InvalidArgument', 400)],
  ])('is %s', (_what, error) => {
    expect(toBlobStoreError(error)).toBeInstanceOf(Error);
    expect(toBlobStoreError(error)).not.toBeInstanceOf(BlobStoreUnavailable);
    expect(String(toBlobStoreError(error))).toContain(error.name);
  });

  test.each([new TypeError('a program error'), new BlobNotFound('a'), systemError('ENOENT')])(
    '%s is not converted',
    (error) => {
      expect(toBlobStoreError(error)).toBe(error);
    },
  );
});

test('distinguishes errors that the operator of the store can fix from wrong requests', () => {
  expect(toBlobStoreError(storeError('AccessDenied', 403))).toBeInstanceOf(BlobStoreDenied);
  expect(toBlobStoreError(storeError('NoSuchBucket', 404))).toBeInstanceOf(BlobStoreDenied);
  expect(toBlobStoreError(storeError('InvalidArgument', 400))).not.toBeInstanceOf(BlobStoreDenied);
});

test('contains nothing that was sent or received', () => {
  for (const error of [storeError('SignatureDoesNotMatch', 403), storeError('SlowDown', 503)]) {
    expect(inspect(toBlobStoreError(error), { depth: 10, showHidden: true })).not.toMatch(
      /the-key-id|the-string|reported by/u,
    );
  }
});

test('distinguishes a missing object from a missing bucket', () => {
  expect(isMissingObject(storeError('NoSuchKey', 404))).toBe(true);
  expect(isMissingObject(storeError('NotFound', 404))).toBe(true);
  expect(isMissingObject(storeError('NoSuchBucket', 404))).toBe(false);
  expect(isMissingObject(storeError('AccessDenied', 403))).toBe(false);
});
