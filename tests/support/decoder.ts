import { createLocalDecoder, createLogger } from '@alpenglow/infra';

/** The decoder of all tests of a process. It ends by itself when it is not used. */
export const decoder = createLocalDecoder({ log: createLogger('fatal') });
