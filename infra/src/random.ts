import { randomFillSync } from 'node:crypto';

const POOL_bytes = 16 * 1024;
const pool = Buffer.allocUnsafe(POOL_bytes);
let used = POOL_bytes;

/** Fresh bytes, at most 64, from the system's generator, which is asked for many at a time: asking costs more than drawing. */
export function drawRandomBytes(size_bytes: number): Buffer {
  if (size_bytes > 64) throw new RangeError('More than 64 bytes at a time');
  if (used + size_bytes > POOL_bytes) {
    randomFillSync(pool);
    used = 0;
  }
  const drawn = Buffer.allocUnsafe(size_bytes);
  pool.copy(drawn, 0, used, used + size_bytes);
  // Nobody may ever find in the pool what was drawn from it.
  pool.fill(0, used, used + size_bytes);
  used += size_bytes;
  return drawn;
}
