import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { AbortMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';

const CONNECT_ms = 3_000;
/**
 * The time limit from the first attempt to the response headers. It includes retries and the wait for a free
 * connection.
 */
const REQUEST_ms = 5_000;
/** The time limit for a request that sends a part of an upload, from the first attempt to the response headers. */
const UPLOAD_ms = 10_000;
/**
 * The time limit for aborting an upload. It is short, because the caller has already waited. If the abort fails, the
 * upload is removed later as an abandoned upload.
 */
const ABORT_ms = 2_000;
/** The time without traffic after which a connection is closed. */
const SILENCE_ms = 30_000;
const MAX_ATTEMPTS = 3;

/**
 * Creates a client for S3 and for compatible stores. URLs contain the bucket in their path, because every store
 * supports that. Checksums are sent only where S3 requires them, because other stores reject unknown checksums.
 */
export function createS3Client(
  { endpoint, region, accessKeyId, secretAccessKey }: S3Config,
  { maxSockets, log }: { maxSockets: number; log: Logger },
): S3Client {
  // The library's warning about the version of Node is disabled, because it is for developers and not for operators.
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

/**
 * Sends a request. Aborts it, with its retries, if the response headers do not arrive within the time limit. The limit
 * does not apply to the response body.
 */
export async function withTimeLimit<T>(
  send: (options: { abortSignal: AbortSignal }) => Promise<T>,
  limit_ms = REQUEST_ms,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), limit_ms);
  try {
    return await send({ abortSignal: timeout.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a client for the upload library. The client applies a time limit to each of its requests. */
export function withUploadTimeLimits(client: S3Client): S3Client {
  const send = (command: Parameters<S3Client['send']>[0]) =>
    withTimeLimit(
      (options) => client.send(command, options),
      command instanceof AbortMultipartUploadCommand ? ABORT_ms : UPLOAD_ms,
    );
  return Object.create(client, { send: { value: send } }) as S3Client;
}
