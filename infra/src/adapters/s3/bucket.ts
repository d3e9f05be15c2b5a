import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type LifecycleRule,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ConfigurationError } from '../../service/config.ts';
import { withTimeLimit } from './client.ts';
import { NOT_IMPLEMENTED, summarizeError, toBlobStoreError } from './errors.ts';

/**
 * The age after which an unfinished upload counts as abandoned. Every upload ends within this time, unless its process
 * was killed.
 */
const ABANDONED_AFTER_ms = 24 * 60 * 60_000;

/**
 * The maximum number of days for which a bucket may retain versions of removed files. Backups are retained for as long
 * (docs/backup.md), so an erased picture is gone everywhere after this time (decision 0017).
 */
const MAX_VERSION_days = 35;

/** The HTTP statuses of a request that a store does not support. Some stores respond with 405 (method not allowed). */
const NOT_SUPPORTED: ReadonlySet<number | null> = new Set([405, NOT_IMPLEMENTED]);

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
 * Checks that the bucket exists, is usable and does not retain removed files. Creates the bucket if it is missing.
 * Throws `BlobStoreUnavailable` if a later attempt may succeed. If the configuration is wrong, throws a
 * `ConfigurationError` that names the environment variable.
 */
export async function ensureBucket(client: S3Client, bucket: string): Promise<void> {
  try {
    await listOne(client, bucket).catch(async (error: unknown) => {
      if (summarizeError(error).name !== 'NoSuchBucket') throw error;
      await create(client, bucket);
      await listOne(client, bucket);
    });
    await requireRemovedFilesToExpire(client, bucket);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
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

/**
 * Throws a `ConfigurationError` if the bucket has versions and no lifecycle rule deletes all noncurrent ones within
 * `MAX_VERSION_days`. Removing a file from such a bucket would only hide it. A bucket whose versioning is suspended may
 * have versions from before.
 */
async function requireRemovedFilesToExpire(client: S3Client, bucket: string): Promise<void> {
  const { Status } = await withTimeLimit((options) =>
    client.send(new GetBucketVersioningCommand({ Bucket: bucket }), options),
  ).catch(emptyIfAbsent('GetBucketVersioning'));
  if (Status === undefined) return;
  const { Rules = [] } = await withTimeLimit((options) =>
    client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }), options),
  ).catch(emptyIfAbsent('GetBucketLifecycleConfiguration'));
  if (Rules.some(deletesAllNoncurrentVersions)) return;
  throw new ConfigurationError(
    'S3_BUCKET: has versions, so removed pictures would remain. Use a bucket without versions, or add a lifecycle ' +
      `rule that deletes all noncurrent versions after at most ${MAX_VERSION_days} days`,
  );
}

/**
 * Returns a function that handles the error of a request for a setting. The function returns an empty setting if the
 * bucket does not have it or the store does not support it. It throws a `ConfigurationError` if the permission to read
 * it is missing, because the setting is then unknown. It names the request in any other error of the store.
 */
const emptyIfAbsent =
  (request: string) =>
  (error: unknown): { readonly Status?: undefined; readonly Rules?: undefined } => {
    const { name, status } = summarizeError(error);
    if (name === 'NoSuchLifecycleConfiguration' || NOT_SUPPORTED.has(status)) return {};
    if (name === 'AccessDenied')
      throw new ConfigurationError(
        'S3_BUCKET: this key needs the permissions s3:GetBucketVersioning and s3:GetLifecycleConfiguration',
      );
    throw CONFIGURATION_ERRORS[name] === undefined ? toBlobStoreError(error, request) : error;
  };

function deletesAllNoncurrentVersions({
  Status,
  Prefix,
  Filter,
  NoncurrentVersionExpiration: expiration,
}: LifecycleRule) {
  const { Prefix: prefix = Prefix, ...conditions } = Filter ?? {};
  const isForAllFiles = (prefix ?? '') === '' && Object.values(conditions).every((value) => value === undefined);
  return (
    Status === 'Enabled' &&
    isForAllFiles &&
    (expiration?.NewerNoncurrentVersions ?? 0) === 0 &&
    (expiration?.NoncurrentDays ?? Number.POSITIVE_INFINITY) <= MAX_VERSION_days
  );
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
