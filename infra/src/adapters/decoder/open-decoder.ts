import type { BackingServiceContext } from '../../service/backing-services.ts';
import type { Decoder } from './decoder.ts';
import { createLocalDecoder } from './local-decoder.ts';
import { createRemoteDecoder } from './remote-decoder.ts';

/**
 * Opens the decoder of photos and videos: the services of the setting `DECODER_URLS`, or a child process of this
 * process.
 */
export function openDecoder({
  config,
  log,
  onStop,
}: Pick<BackingServiceContext, 'config' | 'log' | 'onStop'>): Decoder {
  const decoder = config.decoderUrls === null ? createLocalDecoder({ log }) : createRemoteDecoder(config.decoderUrls);
  onStop(() => decoder.close());
  return decoder;
}
