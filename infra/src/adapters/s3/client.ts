import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { AbortMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';

const CONNECT_ms = 3_000;
/** From the first attempt to the head of the answer: retries, and waiting for a free connection, included. */
const REQUEST_ms = 5_000;
/** The same where a part of an upload goes along. */
const UPLOAD_ms = 10_000;
/** Whoever gives up an upload has waited already; what is left behind goes with the abandoned ones. */
const GIVE_UP_ms = 2_000;
/** A connection nothing moves on, be it for the store or for whoever reads, is given up. */
const SILENCE_ms = 30_000;
const MAX_ATTEMPTS = 3;

/**
 * A client for S3 and for stores that speak it. Addresses hold the bucket in their path, which every store understands, and
 * checksums are sent only where S3 asks for them, because others refuse those they do not know.
 */
export function createS3Client(
  { endpoint, region, accessKeyId, secretAccessKey }: S3Config,
  { maxSockets, log }: { maxSockets: number; log: Logger },
): S3Client {
  // Its word on the version of Node is for those who build the product, not for the log of those who run it.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const silent = () => undefined;
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    retryMode: 'standard',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      httpAgent: new HttpAgent({ keepAlive: true, maxSockets }),
      httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets }),
      connectionTimeout: CONNECT_ms,
      requestTimeout: UPLOAD_ms,
      throwOnRequestTimeout: true,
      socketTimeout: SILENCE_ms,
      logger: { debug: silent, info: silent, warn: (message: unknown) => log.warn(String(message)), error: silent },
    },
  });
}

/** Sends a request that is given up when its answer has not begun in time, whatever is tried meanwhile. A body that follows is not cut off. */
export async function inTime<T>(
  send: (options: { abortSignal: AbortSignal }) => Promise<T>,
  limit_ms = REQUEST_ms,
): Promise<T> {
  const tooLate = new AbortController();
  const timer = setTimeout(() => tooLate.abort(), limit_ms);
  try {
    return await send({ abortSignal: tooLate.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** The same client for a library that uploads by itself: each of its requests is given up in time. */
export function uploadingInTime(client: S3Client): S3Client {
  const send = (command: Parameters<S3Client['send']>[0]) =>
    inTime(
      (options) => client.send(command, options),
      command instanceof AbortMultipartUploadCommand ? GIVE_UP_ms : UPLOAD_ms,
    );
  return Object.create(client, { send: { value: send } }) as S3Client;
}
