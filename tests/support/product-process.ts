import { createLogger, readConfig } from '@alpenglow/infra';
import { composeProduct } from '../../launcher/embedded/compose.ts';
import { UPLOAD_WAIT_IN_TESTS_ms, WAIT_POSITION_IN_TESTS_ms } from './max-wait.ts';
import { printLine } from './print-line.ts';
import type { DataLocation } from './product.ts';

/**
 * Input of a process that runs a complete product. The process prints its port first. Then it repeatedly prints its
 * resident memory until it is killed.
 */
export interface ProductPlan extends DataLocation {
  readonly rootDir: string;
  readonly sampleEvery_ms: number;
}

const { databaseUrl, dataDir, rootDir, sampleEvery_ms } = JSON.parse(process.argv[2] ?? '') as ProductPlan;
const product = await composeProduct({
  config: {
    ...readConfig({
      DEMO: 'off',
      PORT: '0',
      RATE_LIMITS: 'off',
      STAFF_TWO_STEP: 'off',
      WAIT_POSITION_MS: String(WAIT_POSITION_IN_TESTS_ms),
      UPLOAD_WAIT_MS: String(UPLOAD_WAIT_IN_TESTS_ms),
    }),
    dataDir,
  },
  databaseUrl,
  rootDir,
  version: 'test',
  log: createLogger(process.env['TEST_LOG_LEVEL'] ?? 'fatal'),
  progress: () => undefined,
});
printLine(`port ${await product.listen()}`);
setInterval(() => printLine(`resident ${process.memoryUsage.rss()}`), sampleEvery_ms);
