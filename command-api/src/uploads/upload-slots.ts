import { DomainError, MAX_PHOTOS } from '@alpenglow/domain';
import { createSlots, createSlotsPerKey, endTurn, getCloseSignal, pollUntil } from '@alpenglow/infra';
import type { Request, Response } from 'express';
import { createNetworkSlots } from './network-slots.ts';
import { PROGRESS_LIMITS, type ProgressLimits } from './require-progress.ts';
import { UPLOAD_QUOTAS, type UploadQuotas } from './upload-quotas.ts';

export interface UploadLimits {
  /** Maximum number of concurrent uploads. Up to 64 further uploads wait for a free slot. */
  readonly maxUploads: number;
  /** Maximum number of uploads of one account that run or wait, so that one account cannot use all upload slots. */
  readonly maxUploadsPerAccount: number;
  /**
   * Maximum number of uploads that one network runs, so that it cannot use all upload slots with several accounts. A
   * /48 network of IPv6 may run twice as many. Further uploads of the network wait.
   */
  readonly maxUploadsPerNetwork: number;
  /**
   * An account cannot upload further files while the checks of this number of its files are not finished. An ad has
   * five photos and a video. The checks of one account therefore do not delay those of others much.
   */
  readonly maxUnfinishedFiles: number;
  readonly slotWait_ms: number;
  readonly progress: ProgressLimits;
  readonly quotas: UploadQuotas;
}

export const UPLOAD_LIMITS: UploadLimits = {
  maxUploads: 16,
  maxUploadsPerAccount: 2,
  maxUploadsPerNetwork: 4,
  maxUnfinishedFiles: MAX_PHOTOS + 1,
  slotWait_ms: 30_000,
  progress: PROGRESS_LIMITS,
  quotas: UPLOAD_QUOTAS,
};
const MAX_WAITING = 64;
const RETRY_AFTER_s = 5;
const createBusyError = () => new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);

/** The request of an account that uploads files. */
interface Uploader {
  readonly accountId: string;
  readonly req: Pick<Request, 'ip'>;
  readonly res: Response;
}

/**
 * Creates the limits on uploads that run at the same time. Owns the slots of the process, of accounts and of networks.
 * `countUnfinished` returns the number of files of an account whose checks are not finished.
 */
export function createUploadSlots(limits: UploadLimits, countUnfinished: (accountId: string) => Promise<number>) {
  const slots = createSlots({ max: limits.maxUploads, maxWaiting: MAX_WAITING, wait_ms: limits.slotWait_ms });
  const accountSlots = createSlotsPerKey(limits.maxUploadsPerAccount);
  const networkSlots = createNetworkSlots(limits.maxUploadsPerNetwork);

  /**
   * Calls `receive` when an upload slot is free. A slot permits one upload, of photos or of a video. The request has a
   * turn in the queue of all requests until its account is checked, and the slots limit the rest of its work. Throws
   * UPLOADS_BUSY if no slot becomes free in time, if the account already has its maximum number of uploads, or if the
   * checks of too many of its files are not finished.
   */
  return async function withSlot<T>({ accountId, req, res }: Uploader, receive: () => Promise<T>): Promise<T> {
    const signal = getCloseSignal(res);
    const accountSlot = accountSlots.take(accountId);
    if (!accountSlot) throw createBusyError();
    try {
      if ((await countUnfinished(accountId)) >= limits.maxUnfinishedFiles) throw createBusyError();
      endTurn(res);
      const findNetworkSlot = () => Promise.resolve(networkSlots.take(req.ip));
      const networkSlot = await pollUntil(findNetworkSlot, { timeout_ms: limits.slotWait_ms, signal });
      if (!networkSlot) throw createBusyError();
      try {
        const slot = await slots.take(signal);
        if (!slot) throw createBusyError();
        return await receive().finally(() => slot.release());
      } finally {
        networkSlot.release();
      }
    } finally {
      accountSlot.release();
    }
  };
}
