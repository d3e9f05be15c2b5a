/**
 * Runs the decoder of photos and videos as a separate service, for the workers and the command API. The service needs
 * no secrets and no backing services (decision 0058). It sends no spans: it reads files of unknown origin, so it has no
 * outgoing connections, and must not know the token of the collector.
 */
import { createLocalDecoder } from '../src/adapters/decoder/local-decoder.ts';
import { runService } from '../src/service/service.ts';
import { createDecoderHandler } from './handler.ts';

for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];

await runService({
  name: 'decoder',
  requires: null,
  start({ log, onStop }) {
    const decoder = createLocalDecoder({ log });
    onStop(() => decoder.close());
    return Promise.resolve({ handler: createDecoderHandler(decoder), isReady: () => Promise.resolve(true) });
  },
});
