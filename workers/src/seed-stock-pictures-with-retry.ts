import { DomainError } from '@alpenglow/domain';
import type { Logger } from '@alpenglow/infra';
import pRetry from 'p-retry';
import { seedStockPictures } from './seed-stock-pictures.ts';
import { isBackingServiceFailure } from './retry-during-outages.ts';

const RETRY_AFTER_ms = 5_000;
const MAX_CONFLICTS = 5;

/**
 * Uploads the first `count` stock pictures that are missing. Retries while a backing service, e.g. the database, is
 * unavailable or denies access, until `signal` aborts. Only the first of these failures is logged. Also retries a few
 * times if another process uploads the same picture. Any other error is logged and ends the attempts.
 */
export async function seedStockPicturesWithRetry(
  deps: Parameters<typeof seedStockPictures>[0],
  count: number,
  log: Logger,
  signal: AbortSignal,
  { againAfter_ms = RETRY_AFTER_ms, seed = seedStockPictures } = {},
): Promise<void> {
  let isFailing = false;
  let conflicts = 0;
  try {
    await pRetry(() => seed(deps, count), {
      retries: Infinity,
      minTimeout: againAfter_ms,
      factor: 1,
      unref: true,
      signal,
      shouldRetry({ error }) {
        const isConflict = error instanceof DomainError && error.code === 'CONFLICT';
        if (isConflict) conflicts += 1;
        return isBackingServiceFailure(error) || (isConflict && conflicts < MAX_CONFLICTS);
      },
      onFailedAttempt({ error }) {
        if (isFailing || !isBackingServiceFailure(error)) return;
        log.warn({ err: error }, 'stock pictures cannot be seeded now, retrying');
        isFailing = true;
      },
    });
    if (isFailing) log.info('stock pictures are seeded');
  } catch (err) {
    if (err !== signal.reason) log.error({ err }, 'stock pictures cannot be seeded');
  }
}
