import { buffer } from 'node:stream/consumers';
import { BlobNotFound, type BlobInfo, type BlobStore } from '@alpenglow/domain';
import { decrypt, encrypt, ENCRYPTION_OVERHEAD_bytes } from './cipher.ts';
import { accountIdOfKey, type DataKeys } from './personal-data.ts';

/**
 * The id of the key that encrypts pictures that are stored as evidence (decision 0047). The key belongs to no account,
 * so no erasure destroys it.
 */
export const EVIDENCE_KEY_ID = 'evidence';

/**
 * The maximum size of the header of an encrypted blob. The header consists of the length of the key id (one byte) and
 * the key id.
 */
const HEAD_bytes = 256;

/**
 * Creates a store of secret blobs, such as identity pictures. Each blob is encrypted with the data key of an account,
 * and destroying this data key makes the blob unreadable. A stored blob consists of the length of the data key's id
 * (one byte), this id and the ciphertext. Decryption fails if a stored blob is moved to another blob key.
 */
export function createSealedBlobs({ blobs, dataKeys }: { readonly blobs: BlobStore; readonly dataKeys: DataKeys }) {
  return {
    async put(key: string, accountId: string, bytes: Uint8Array): Promise<void> {
      const sealingKey = await dataKeys.obtain(accountId);
      const id = Buffer.from(sealingKey.id);
      await blobs.put(key, Buffer.concat([Buffer.from([id.length]), id, encrypt(sealingKey.key, key, bytes)]));
    },
    /** Returns the size of the decrypted blob without decrypting it, or null if the blob does not exist. */
    async getInfo(key: string): Promise<BlobInfo | null> {
      const info = await blobs.getInfo(key);
      if (!info || info.sizeBytes === 0) return null;
      const [idLength = 0] = await buffer((await blobs.read(key, { start: 0, end: 0 })).bytes);
      return { ...info, sizeBytes: info.sizeBytes - 1 - idLength - ENCRYPTION_OVERHEAD_bytes };
    },
    /** Returns the decrypted blob, or null if the blob does not exist or its data key was destroyed. */
    async get(key: string): Promise<Buffer | null> {
      const box = await read(blobs, key);
      if (box === null) return null;
      const idEnd = 1 + (box[0] ?? 0);
      const keyId = box.subarray(1, idEnd).toString();
      const openingKey = (await dataKeys.find([keyId])).get(keyId) ?? null;
      return openingKey && decrypt(openingKey, key, box.subarray(idEnd));
    },
  };
}

/** Returns the id of the account with whose data key a blob is encrypted, or null if the blob does not exist. */
export async function findAccountOfSealedBlob(blobs: BlobStore, key: string): Promise<string | null> {
  const info = await blobs.getInfo(key);
  if (!info || info.sizeBytes === 0) return null;
  const head = await buffer((await blobs.read(key, { start: 0, end: Math.min(info.sizeBytes, HEAD_bytes) - 1 })).bytes);
  return accountIdOfKey(head.subarray(1, 1 + (head[0] ?? 0)).toString());
}

async function read(blobs: BlobStore, key: string): Promise<Buffer | null> {
  try {
    return await buffer((await blobs.read(key)).bytes);
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
}
