import { randomFillSync } from 'node:crypto';

const POOL_bytes = 16 * 1024;
const pool = Buffer.allocUnsafe(POOL_bytes);
let used = POOL_bytes;

/**
 * Returns up to 64 random bytes from the generator of the operating system. The bytes are copied from a pool, because
 * that is faster than calling the generator every time.
 */
export function drawRandomBytes(size_bytes: number): Buffer {
  if (size_bytes > 64) throw new RangeError('More than 64 bytes at a time');
  if (used + size_bytes > POOL_bytes) {
    randomFillSync(pool);
    used = 0;
  }
  const drawn = Buffer.allocUnsafe(size_bytes);
  pool.copy(drawn, 0, used, used + size_bytes);
  // Returned bytes are erased from the pool, because they may be secret.
  pool.fill(0, used, used + size_bytes);
  used += size_bytes;
  return drawn;
}
