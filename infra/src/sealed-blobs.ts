import { createCipheriv, createDecipheriv } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { BlobNotFound, type BlobStore } from '@alpenglow/domain';
import { accountIdOfKey, type DataKeys } from './personal-data.ts';
import { drawRandomBytes } from './random.ts';

/** Blobs that are one person's secret: sealed with their data key, so that destroying the key destroys them. */
export interface SealedBlobs {
  put(key: string, accountId: string, bytes: Uint8Array): Promise<void>;
  /** What was put; null where it is gone, or the key that opens it was destroyed. */
  get(key: string): Promise<Buffer | null>;
}

/** The longest a key's id can be, with its length before it. */
const HEAD_bytes = 256;

const CIPHER = 'aes-256-gcm';
const IV_bytes = 12;
const TAG_bytes = 16;

/** A sealed blob is the length of the key's id (one byte), the id, the IV, the ciphertext and its tag; the blob's own key is authenticated with it. */
export function createSealedBlobs({
  blobs,
  dataKeys,
}: {
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
}): SealedBlobs {
  return {
    async put(key, accountId, bytes) {
      const sealing = await dataKeys.obtain(accountId);
      const id = Buffer.from(sealing.id);
      const iv = drawRandomBytes(IV_bytes);
      const cipher = createCipheriv(CIPHER, sealing.key, iv).setAAD(Buffer.from(key));
      await blobs.put(
        key,
        Buffer.concat([Buffer.from([id.length]), id, iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]),
      );
    },
    async get(key) {
      const box = await read(blobs, key);
      if (box === null) return null;
      const idEnd = 1 + (box[0] ?? 0);
      const keyId = box.subarray(1, idEnd).toString();
      const opening = (await dataKeys.find([keyId])).get(keyId) ?? null;
      if (opening === null) return null;
      const decipher = createDecipheriv(CIPHER, opening, box.subarray(idEnd, idEnd + IV_bytes))
        .setAAD(Buffer.from(key))
        .setAuthTag(box.subarray(-TAG_bytes));
      return Buffer.concat([decipher.update(box.subarray(idEnd + IV_bytes, -TAG_bytes)), decipher.final()]);
    },
  };
}

/** Whose secret a sealed blob is, by the key it is sealed with; null where it is gone. */
export async function accountOfSealedBlob(blobs: BlobStore, key: string): Promise<string | null> {
  const found = await blobs.info(key);
  if (!found || found.sizeBytes === 0) return null;
  const head = await buffer(
    (await blobs.read(key, { start: 0, end: Math.min(found.sizeBytes, HEAD_bytes) - 1 })).bytes,
  );
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
