import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ConfigurationError } from '../../config.ts';
import { inTime } from './client.ts';
import { failureOf, toldOf } from './errors.ts';

/** No upload takes this long, so whoever began it is gone. */
const ABANDONED_AFTER_ms = 24 * 60 * 60_000;

/** What S3 may refuse at the start, and which variable is at fault. */
const FAULTS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'S3_ACCESS_KEY_ID: the store does not know this key',
  SignatureDoesNotMatch: 'S3_SECRET_ACCESS_KEY: is not the one that goes with S3_ACCESS_KEY_ID',
  AccessDenied: 'S3_BUCKET: may not be used, or not be made, with this key',
  AllAccessDisabled: 'S3_BUCKET: is closed to everybody',
  InvalidBucketName: 'S3_BUCKET: is no name for a bucket',
  NoSuchBucket: 'S3_BUCKET: there is no such bucket, and it could not be made',
  BucketAlreadyExists: 'S3_BUCKET: belongs to somebody else',
  TooManyBuckets: 'S3_BUCKET: there is no such bucket, and no more may be made',
  AuthorizationHeaderMalformed: 'S3_REGION: is not the region of the store',
  PermanentRedirect: 'S3_REGION: is not the region of the bucket',
  IllegalLocationConstraintException: 'S3_REGION: is not the region of the store',
  InvalidLocationConstraint: 'S3_REGION: is not the region of the store',
};

/**
 * Makes sure of the bucket: creates it where it is missing and we may. Throws `BlobStoreUnavailable` when waiting may mend what is wrong,
 * and `ConfigurationError`, which names the variable, when it does not.
 */
export async function ensureBucket(client: S3Client, bucket: string): Promise<void> {
  try {
    await look(client, bucket).catch(async (error: unknown) => {
      if (toldOf(error).name !== 'NoSuchBucket') throw error;
      await make(client, bucket);
      await look(client, bucket);
    });
  } catch (error) {
    const fault = FAULTS[toldOf(error).name];
    throw fault === undefined ? failureOf(error) : new ConfigurationError(fault);
  }
}

/** Listing asks for what we need anyway, and its refusals say why, which those of HEAD cannot. */
async function look(client: S3Client, bucket: string): Promise<void> {
  await inTime((options) => client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }), options));
}

async function make(client: S3Client, bucket: string): Promise<void> {
  try {
    await inTime((options) => client.send(new CreateBucketCommand({ Bucket: bucket }), options));
  } catch (error) {
    // Another process of ours was first.
    if (toldOf(error).name !== 'BucketAlreadyOwnedByYou') throw error;
  }
}

export interface UploadUnderWay {
  readonly key: string;
  readonly uploadId: string;
  readonly begunAt_ms: number;
}

/** Uploads in parts that are neither completed nor given up, at most a thousand of them. */
export async function uploadsUnderWay(client: S3Client, bucket: string): Promise<readonly UploadUnderWay[]> {
  const { Uploads = [] } = await inTime((options) =>
    client.send(new ListMultipartUploadsCommand({ Bucket: bucket }), options),
  );
  return Uploads.map(({ Key = '', UploadId = '', Initiated }) => ({
    key: Key,
    uploadId: UploadId,
    begunAt_ms: Initiated?.getTime() ?? Number.POSITIVE_INFINITY,
  }));
}

/** Gives up uploads that killed processes left half-done: their parts cannot be seen, but are stored. Returns how many. */
export async function abortAbandonedUploads(client: S3Client, bucket: string, now_ms: number): Promise<number> {
  const uploads = await uploadsUnderWay(client, bucket);
  const abandoned = uploads.filter(({ begunAt_ms }) => now_ms - begunAt_ms > ABANDONED_AFTER_ms);
  for (const { key, uploadId } of abandoned) {
    await inTime((options) =>
      client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }), options),
    );
  }
  return abandoned.length;
}
