import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventStore, LiveBatch, LiveFeed, LiveMessage, Position } from '@alpenglow/domain';
import { createLogger, type Authentication, type ReadModelProgress } from '@alpenglow/infra';
import { createLiveChannel, type LiveChannel } from '../../query-api/src/live/live-channel.ts';
import { PATIENCE_ms } from './patience.ts';

export interface ServedChannel {
  readonly url: string;
  readonly channel: LiveChannel;
  stop(): Promise<void>;
}

interface ServedChannelOptions {
  readonly feed: LiveFeed;
  readonly store: EventStore;
  readonly waitForFeed_ms?: number;
  readonly byToken?: (token: string) => Promise<unknown>;
  /** As that of `ReadModelProgress`, without a limit. */
  readonly waitFor?: (projection: string, position: string) => Promise<unknown>;
}

/** The live channel alone, at an address of its own, with lists that show everything at once unless `waitFor` says otherwise. Without `byToken` nobody is signed in. */
export async function serveLiveChannel({
  feed,
  store,
  waitForFeed_ms = PATIENCE_ms,
  byToken = () => Promise.resolve(null),
  waitFor = () => Promise.resolve(true),
}: ServedChannelOptions): Promise<ServedChannel> {
  const channel = createLiveChannel({
    feed,
    store,
    waitForFeed_ms,
    progress: { waitFor } as unknown as ReadModelProgress,
    authentication: { byToken } as unknown as Authentication,
    log: createLogger('silent'),
  });
  const server = createServer();
  server.on('upgrade', (req, socket, head) => {
    if (!channel.upgrade(req, socket, head)) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    channel,
    async stop() {
      await channel.stop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A feed whose batches the test gives, one after the other. */
export function createHandFeed(): LiveFeed & { give(batch: LiveBatch): void } {
  const batches: LiveBatch[] = [];
  let ring: () => void = () => undefined;
  return {
    give(batch) {
      batches.push(batch);
      ring();
    },
    async *follow({ signal }) {
      signal.addEventListener('abort', () => ring());
      while (!signal.aborted) {
        const batch = batches.shift();
        if (batch) yield batch;
        else
          await new Promise<void>((resolve) => {
            ring = resolve;
          });
      }
    },
    close: async () => undefined,
  };
}

/** The position of the nth event, as Postgres writes it. */
export const positionOf = (n: number): Position => String(n).padStart(19, '0') as Position;

/** Messages of the events after one and up to another, as a batch. */
export function liveBatch(after: number, through: number): LiveBatch {
  const messages = Array.from(
    { length: through - after },
    (_, n): LiveMessage => ({
      seq: positionOf(after + n + 1),
      type: 'ad_bumped',
      adId: `ad-${after + n + 1}`,
      place: null,
      at: '2026-11-21T12:00:00.000Z',
    }),
  );
  return { after: positionOf(after), messages, through: positionOf(through) };
}
