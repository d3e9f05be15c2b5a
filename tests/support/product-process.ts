import { createLogger, readConfig } from '@alpenglow/infra';
import { composeProduct } from '../../infra/embedded/compose.ts';
import { WAIT_POSITION_IN_TESTS_ms } from './patience.ts';
import { printLine } from './print-line.ts';
import type { Place } from './product.ts';

/** The whole product in a process of its own, which tells how much memory it has resident until it is killed. */
export interface ProductPlan extends Place {
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
