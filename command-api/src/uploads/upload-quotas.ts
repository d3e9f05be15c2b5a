import { DomainError, partialUploadKeys, type RegisteredAccount } from '@alpenglow/domain';
import { createLimitError, limitByNetwork } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { FULL_RETRY_AFTER_s, requireSpace } from './require-space.ts';

const MB = 1024 * 1024;
const DAY_s = 24 * 60 * 60;
/** The time after which the size of all incomplete uploads is computed again. */
const TOTAL_LIFETIME_ms = 30_000;

export interface UploadQuotas {
  /** The bytes that an account with a verified e-mail address, another account, and a network may upload in a day. */
  readonly ofVerified_bytes: number;
  readonly ofUnverified_bytes: number;
  readonly ofNetwork_bytes: number;
  /** The bytes that all accounts of one network without a verified e-mail address may upload in a day. */
  readonly ofUnverifiedInNetwork_bytes: number;
  /** The maximum size of all incomplete resumable uploads together. */
  readonly ofAllIncomplete_bytes: number;
  /** The maximum size of all incomplete uploads at which an account with an unverified address may add bytes. */
  readonly ofIncompleteForUnverified_bytes: number;
}

export const UPLOAD_QUOTAS: UploadQuotas = {
  ofVerified_bytes: 2_000 * MB,
  // It is enough for the five photos and the video of an ad, each in two attempts.
  ofUnverified_bytes: 300 * MB,
  ofNetwork_bytes: 6_000 * MB,
  // One network uses at most a fifth of the space for incomplete uploads of such accounts.
  ofUnverifiedInNetwork_bytes: 1_000 * MB,
  ofAllIncomplete_bytes: 10_000 * MB,
  ofIncompleteForUnverified_bytes: 5_000 * MB,
};

type Undo = () => Promise<void>;

interface CountedUpload {
  /** The keys of the quotas to which the upload was added. */
  readonly keys: readonly string[];
  readonly undo: Undo;
}

/** A resumable upload that its owner has canceled. */
interface CanceledUpload {
  readonly uploadId: string;
  readonly sizeBytes: number;
  readonly quotaKeys?: readonly string[] | undefined;
}

/** An account that uploads files, and its network address. */
export interface UploadOwner {
  readonly account: Pick<RegisteredAccount, 'accountId' | 'emailVerified'>;
  readonly address: string | undefined;
}

/**
 * Creates the checks of the space that uploads need. The uploads of a day are counted by account and network.
 * All incomplete uploads together have a maximum size. Uploads are rejected before the disk is full, so that everything
 * else continues.
 */
export function createUploadQuotas(
  {
    blobs,
    counters = null,
    hashKey = (text) => text,
  }: Dependencies<'blobs'> & Partial<Dependencies<'counters' | 'hashKey'>>,
  quotas: UploadQuotas,
) {
  let total = { bytes: 0, at_ms: -Infinity };
  let reading: Promise<typeof total> | null = null;
  /** The bytes that the current requests of resumable uploads may still store. */
  let reserved_bytes = 0;

  /**
   * Adds an upload to the quotas of the account and the network. Returns their keys, and a function that undoes this
   * for an upload that fails. Throws RATE_LIMITED if the quota is used up.
   */
  async function count({ account, address }: UploadOwner, size_bytes: number): Promise<CountedUpload> {
    if (!counters) return { keys: [], undo: () => Promise.resolve() };
    const { accountId, emailVerified } = account;
    const keys = [
      { key: accountId, max: emailVerified ? quotas.ofVerified_bytes : quotas.ofUnverified_bytes },
      ...limitByNetwork(address, quotas.ofNetwork_bytes).map(({ network, max }) => ({ key: hashKey(network), max })),
      ...(emailVerified ? [] : limitByNetwork(address, quotas.ofUnverifiedInNetwork_bytes)).map(({ network, max }) => ({
        key: hashKey(`unverified ${network}`),
        max,
      })),
    ];
    // The store of the counts has no numbers that are large enough for bytes.
    const size_kB = Math.ceil(size_bytes / 1024);
    const add = (key: string, by: number) => counters.add(`upload-kb:${key}`, by, DAY_s);
    const counted: string[] = [];
    const undo = async () => void (await Promise.all(counted.map((key) => add(key, -size_kB))));
    for (const { key, max } of keys) {
      const used = await add(key, size_kB);
      counted.push(key);
      if (used.count <= max / 1024) continue;
      await undo();
      throw createLimitError(used.left_ms);
    }
    return { keys: counted, undo };
  }

  async function readTotal(): Promise<typeof total> {
    let bytes = 0;
    for await (const { sizeBytes } of blobs.list(partialUploadKeys.everything)) bytes += sizeBytes;
    return { bytes, at_ms: performance.now() };
  }

  async function requireSpaceForIncomplete(account: UploadOwner['account'], size_bytes: number): Promise<void> {
    await requireSpace(blobs, size_bytes);
    if (performance.now() - total.at_ms >= TOTAL_LIFETIME_ms) {
      reading ??= readTotal().finally(() => (reading = null));
      total = await reading;
    }
    // Without this limit, accounts with unverified addresses could use all the space, because they are free.
    const max_bytes = account.emailVerified
      ? quotas.ofAllIncomplete_bytes
      : Math.min(quotas.ofAllIncomplete_bytes, quotas.ofIncompleteForUnverified_bytes);
    if (total.bytes + reserved_bytes + size_bytes > max_bytes)
      throw new DomainError('UNAVAILABLE', {}, FULL_RETRY_AFTER_s);
  }

  return {
    /**
     * Checks an upload in one request before its body is read. Returns a function that must be called if none of its
     * files is stored.
     */
    async requireForUpload(owner: UploadOwner, size_bytes: number): Promise<Undo> {
      await requireSpace(blobs, size_bytes);
      return (await count(owner, size_bytes)).undo;
    },
    /**
     * Checks a resumable upload before its first byte. Returns the keys of its quotas, with which `release` frees them.
     */
    async requireForResumable(owner: UploadOwner, size_bytes: number): Promise<readonly string[]> {
      await requireSpaceForIncomplete(owner.account, size_bytes);
      return (await count(owner, size_bytes)).keys;
    },
    /** Makes a resumable upload count even if it is canceled, because its file is about to be stored. */
    async keep(uploadId: string): Promise<void> {
      await counters?.add(`upload-ended:${uploadId}`, 1, DAY_s);
    },
    /** Subtracts a canceled resumable upload from its quotas, once. */
    async release({ uploadId, sizeBytes, quotaKeys = [] }: CanceledUpload): Promise<void> {
      if (!counters || quotaKeys.length === 0) return;
      // Several processes may cancel the same upload at the same time, and another one may finish it.
      if ((await counters.add(`upload-ended:${uploadId}`, 1, DAY_s)).count > 1) return;
      const size_kB = Math.ceil(sizeBytes / 1024);
      for (const key of quotaKeys) {
        const { count: left } = await counters.add(`upload-kb:${key}`, -size_kB, DAY_s);
        // The count of that day has expired, so the new count is corrected from a negative number to 0.
        if (left < 0) await counters.add(`upload-kb:${key}`, -left, DAY_s);
      }
    },
    /**
     * Reserves space for the next bytes of a resumable upload before they are read. Returns a function that must be
     * called with the number of stored bytes when the request ends.
     */
    async reserveForBytes(
      account: UploadOwner['account'],
      size_bytes: number,
    ): Promise<(stored_bytes: number) => void> {
      await requireSpaceForIncomplete(account, size_bytes);
      reserved_bytes += size_bytes;
      return (stored_bytes) => {
        reserved_bytes -= size_bytes;
        total.bytes += stored_bytes;
      };
    },
  };
}
