import { Agent } from 'node:http';
import { DecoderLost, DecoderUnavailable, exchange, ReadFailed, type Decoder } from './decoder.ts';

/** Longer than the time limit of the decoder itself, because a request may wait for the requests before it. */
const LIMIT_ms = 5 * 60_000;
const CANNOT_CONNECT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);
/**
 * The status codes after which the next decoder is used: that of a decoder that is stopping, and that of one of an
 * older build, which does not have the operation.
 */
const USE_NEXT: ReadonlySet<unknown> = new Set([503, 404]);

/**
 * Creates a client of decoders that run as separate services, in containers without secrets and without network.
 * The requests are distributed over the URLs. If a decoder cannot be reached, is stopping or does not have the
 * operation, the next one is used.
 */
export function createRemoteDecoder(urls: readonly string[]): Decoder {
  const agent = new Agent();
  let next = 0;
  return {
    async send(wanted) {
      next += 1;
      for (let attempt = 0; attempt < urls.length; attempt += 1) {
        const { hostname, port } = new URL(urls[(next + attempt) % urls.length] ?? '');
        const limit = AbortSignal.timeout(LIMIT_ms);
        try {
          const signal = AbortSignal.any([wanted.signal, limit]);
          const { result: outcome } = await exchange(
            {
              ...wanted,
              signal,
              read: async (response) => {
                if (!USE_NEXT.has(response.statusCode)) return { value: await wanted.read(response) };
                response.resume();
                return null;
              },
            },
            { agent, hostname, port: Number(port) },
          );
          if (outcome) return outcome.value;
        } catch (error) {
          wanted.signal.throwIfAborted();
          if (CANNOT_CONNECT.has((error as { code?: unknown }).code)) continue;
          // The decoder limits the time of a file itself, so the request has waited for others.
          if (limit.aborted) throw new DecoderUnavailable('The decoder is too busy');
          if (error instanceof ReadFailed) throw error.cause;
          throw new DecoderLost(`The decoder ended: ${String(error)}`);
        }
      }
      throw new DecoderUnavailable('No decoder can be reached');
    },
    close: () => Promise.resolve(agent.destroy()),
  };
}
