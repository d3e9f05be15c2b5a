import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@alpenglow/infra';
import { seedHousePictures } from './seed-house-pictures.ts';
import { isTroubleOfEngines } from './through-outages.ts';

const AGAIN_AFTER_ms = 5_000;

/**
 * Seeds the house pictures, again and again while an engine is away or refuses us, until `signal` aborts: they may come while the service
 * is at work already. The log hears of the first failure of a run; any other error is logged, and ends it.
 */
export async function seedThroughOutages(
  deps: Parameters<typeof seedHousePictures>[0],
  log: Logger,
  signal: AbortSignal,
  { againAfter_ms = AGAIN_AFTER_ms, seed = seedHousePictures } = {},
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    try {
      await seed(deps);
      if (isFailing) log.info('house pictures are seeded');
      return;
    } catch (err) {
      if (!isTroubleOfEngines(err)) {
        log.error({ err }, 'house pictures cannot be seeded');
        return;
      }
      if (!isFailing) log.warn({ err }, 'house pictures cannot be seeded now, trying again');
      isFailing = true;
    }
    await pause(againAfter_ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
