import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ConfigurationError } from '../../service/config.ts';
import { withTimeLimit } from './client.ts';
import { toBlobStoreError, summarizeError } from './errors.ts';

/**
 * The age after which an unfinished upload counts as abandoned. Every upload ends within this time, unless its process
 * was killed.
 */
const ABANDONED_AFTER_ms = 24 * 60 * 60_000;

/**
 * The error codes of S3 that mean a wrong configuration, with our error message, which names the environment variable.
 */
const CONFIGURATION_ERRORS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'S3_ACCESS_KEY_ID: is unknown to the store',
  SignatureDoesNotMatch: 'S3_SECRET_ACCESS_KEY: does not match S3_ACCESS_KEY_ID',
  AccessDenied: 'S3_BUCKET: cannot be used, or not be created, with this key',
  AllAccessDisabled: 'S3_BUCKET: access to this bucket is disabled',
  InvalidBucketName: 'S3_BUCKET: is not a valid bucket name',
  NoSuchBucket: 'S3_BUCKET: does not exist and could not be created',
  BucketAlreadyExists: 'S3_BUCKET: belongs to another account',
  TooManyBuckets: 'S3_BUCKET: does not exist, and this account may not create more buckets',
  AuthorizationHeaderMalformed: 'S3_REGION: is not the region of the store',
  PermanentRedirect: 'S3_REGION: is not the region of the bucket',
  IllegalLocationConstraintException: 'S3_REGION: is not the region of the store',
  InvalidLocationConstraint: 'S3_REGION: is not the region of the store',
};

/**
 * Checks that the bucket exists and is usable, and creates it if it is missing. Throws `BlobStoreUnavailable` if a
 * later attempt may succeed. If the configuration is wrong, throws a `ConfigurationError` that names the environment
 * variable.
 */
export async function ensureBucket(client: S3Client, bucket: string): Promise<void> {
  try {
    await listOne(client, bucket).catch(async (error: unknown) => {
      if (summarizeError(error).name !== 'NoSuchBucket') throw error;
      await create(client, bucket);
      await listOne(client, bucket);
    });
  } catch (error) {
    const message = CONFIGURATION_ERRORS[summarizeError(error).name];
    throw message === undefined ? toBlobStoreError(error) : new ConfigurationError(message);
  }
}

/**
 * Checks the bucket by listing one object. A HEAD request for the bucket is not used, because its error does not
 * contain the reason. The application needs the permission to list objects anyway.
 */
async function listOne(client: S3Client, bucket: string): Promise<void> {
  await withTimeLimit((options) => client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }), options));
}

async function create(client: S3Client, bucket: string): Promise<void> {
  try {
    await withTimeLimit((options) => client.send(new CreateBucketCommand({ Bucket: bucket }), options));
  } catch (error) {
    // The error BucketAlreadyOwnedByYou means that another process of this installation has just created the bucket, so
    // the error is ignored.
    if (summarizeError(error).name !== 'BucketAlreadyOwnedByYou') throw error;
  }
}

/** Returns the multipart uploads that are neither completed nor aborted, at most 1,000. */
export async function listUnfinishedUploads(client: S3Client, bucket: string) {
  const { Uploads = [] } = await withTimeLimit((options) =>
    client.send(new ListMultipartUploadsCommand({ Bucket: bucket }), options),
  );
  return Uploads.map(({ Key = '', UploadId = '', Initiated }) => ({
    key: Key,
    uploadId: UploadId,
    begunAt_ms: Initiated?.getTime() ?? Number.POSITIVE_INFINITY,
  }));
}

/**
 * Aborts the unfinished uploads of killed processes, because S3 would otherwise store their invisible parts forever.
 * Returns the number of aborted uploads.
 */
export async function abortAbandonedUploads(client: S3Client, bucket: string, now_ms: number): Promise<number> {
  const uploads = await listUnfinishedUploads(client, bucket);
  const abandoned = uploads.filter(({ begunAt_ms }) => now_ms - begunAt_ms > ABANDONED_AFTER_ms);
  for (const { key, uploadId } of abandoned) {
    await withTimeLimit((options) =>
      client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }), options),
    );
  }
  return abandoned.length;
}
