/**
 * Runs the decoder of photos and videos as a separate service, for the workers and the command API. The service needs
 * no secrets and no backing services (decision 0058).
 */
import { createLocalDecoder } from '../src/adapters/decoder/local-decoder.ts';
import { runService } from '../src/service/service.ts';
import { createDecoderHandler } from './handler.ts';

await runService({
  name: 'decoder',
  requires: null,
  start({ log, onStop }) {
    const decoder = createLocalDecoder({ log });
    onStop(() => decoder.close());
    return Promise.resolve({ handler: createDecoderHandler(decoder), isReady: () => Promise.resolve(true) });
  },
});
