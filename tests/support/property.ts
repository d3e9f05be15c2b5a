import fc from 'fast-check';
import { Volume, type VolumeLimits } from './volume.ts';

/** Number of cases of each later batch, as a share of the minimum. */
const BATCH_SHARE = 0.1;

/** Checks a property of fast-check with as many generated cases as `limits` allows. A failure prints the seed. */
export async function assertProperty<Case>(
  property: fc.IAsyncProperty<Case> | fc.IProperty<Case>,
  limits: VolumeLimits,
  parameters: Pick<fc.Parameters<Case>, 'endOnFailure'> = {},
): Promise<void> {
  const volume = new Volume(limits);
  let size = volume.minimum;
  for (let cases = take(volume, size); cases > 0; cases = take(volume, size)) {
    await fc.assert(property, { ...parameters, numRuns: cases });
    size = Math.ceil(volume.minimum * BATCH_SHARE);
  }
}

/** Takes up to `size` repetitions of a volume. Returns how many there are. */
function take(volume: Volume, size: number): number {
  let taken = 0;
  while (taken < size && volume.takeNext()) taken += 1;
  return taken;
}
