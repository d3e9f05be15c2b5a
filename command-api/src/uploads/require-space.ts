import { DomainError, type BlobStore } from '@alpenglow/domain';

export const FULL_RETRY_AFTER_s = 600;

/**
 * Throws UNAVAILABLE if a file of `size_bytes` would use the space that everything else needs. Call this
 * before the file is received or stored.
 */
export async function requireSpace(blobs: Pick<BlobStore, 'hasSpaceFor'>, size_bytes: number): Promise<void> {
  if (!(await blobs.hasSpaceFor(size_bytes))) throw new DomainError('UNAVAILABLE', {}, FULL_RETRY_AFTER_s);
}
