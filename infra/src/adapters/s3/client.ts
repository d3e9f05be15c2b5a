import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { AbortMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';

const CONNECT_ms = 3_000;
/**
 * The time limit of a request to S3, from the first attempt to the response headers. It includes retries and the wait
 * for a free connection.
 */
const REQUEST_ms = 5_000;
/** The time limit of a request that uploads a part of a file, from the first attempt to the response headers. */
const UPLOAD_ms = 10_000;
/**
 * The time limit of a request that aborts an upload. It is short, because the caller has already waited for the failed
 * upload. If aborting fails, a later cleanup removes the upload.
 */
const ABORT_ms = 2_000;
/** The time without traffic after which a connection is closed. */
const SILENCE_ms = 30_000;
const MAX_ATTEMPTS = 3;

/**
 * Creates a client for S3 and for compatible stores. URLs contain the bucket name in their path, because every store
 * supports such URLs. Checksums are sent only in requests for which S3 requires them, because some other stores reject
 * unknown checksums.
 */
export function createS3Client(
  { endpoint, region, accessKeyId, secretAccessKey }: S3Config,
  { maxSockets, log }: { maxSockets: number; log: Logger },
): S3Client {
  // The AWS library warns about old versions of Node.js. The warning is disabled, because it is for developers and not
  // for operators.
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
 * Sends a request to S3. Aborts the request and its retries if the response headers do not arrive within the time
 * limit. The limit does not apply to the response body.
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

/** Returns an S3 client for the upload library. This client applies a time limit to every request of an upload. */
export function withUploadTimeLimits(client: S3Client): S3Client {
  const send = (command: Parameters<S3Client['send']>[0]) =>
    withTimeLimit(
      (options) => client.send(command, options),
      command instanceof AbortMultipartUploadCommand ? ABORT_ms : UPLOAD_ms,
    );
  return Object.create(client, { send: { value: send } }) as S3Client;
}
