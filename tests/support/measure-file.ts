import { afterAll } from 'vitest';
import { meterOfWorker, readProcessorTime_ms } from './processor-time.mjs';
import { takeVolumes, type ReachedVolume } from './volume.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file with its imports and all processes that its worker started; null if unknown. */
    processor_ms?: number | null;
    volumes?: readonly ReachedVolume[];
  }
}

// A worker runs one file at a time, and this module runs again before each file.
const start_ms = readProcessorTime_ms(meterOfWorker());

// Hooks run in reverse order, so this hook runs after those of the test file.
afterAll(({}, file) => {
  const end_ms = readProcessorTime_ms(meterOfWorker());
  file.meta.processor_ms = start_ms === null || end_ms === null ? null : end_ms - start_ms;
  file.meta.volumes = takeVolumes();
});
