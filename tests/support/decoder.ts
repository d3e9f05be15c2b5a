import { createLocalDecoder, createLogger } from '@alpenglow/infra';
import { MAX_WAIT_ms } from './max-wait.ts';

/**
 * The decoder of all tests of a process. It ends by itself when it is not used. Its time limit is long, because a file
 * that takes longer is rejected, and a busy machine may be slow.
 */
export const decoder = createLocalDecoder({ log: createLogger('fatal'), limit_ms: MAX_WAIT_ms });
