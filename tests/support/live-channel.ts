import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  findLiveKeys,
  isAdMessage,
  type EventStore,
  type LiveBatch,
  type LiveFeed,
  type LiveMessage,
  type LiveSubject,
  type Position,
} from '@alpenglow/domain';
import { createLogger, createPositionTokens, type Authentication, type ReadModelProgress } from '@alpenglow/infra';
import { createLiveChannel, type LiveChannel } from '../../query-api/src/live/live-channel.ts';
import type { LiveSubjects } from '../../query-api/src/live/live-subjects.ts';
import { MAX_WAIT_ms } from './max-wait.ts';

export interface ServedChannel {
  readonly url: string;
  readonly channel: LiveChannel;
  stop(): Promise<void>;
}

/** The fields of the signed-in caller that the live channel reads. */
export interface LiveCaller {
  readonly sessionId: string;
  readonly user: { readonly id: string; readonly isModerator: boolean };
  readonly isRoleWithheld: boolean;
}

interface ServedChannelOptions {
  readonly feed: LiveFeed;
  readonly store: EventStore;
  readonly waitForFeed_ms?: number;
  readonly heartbeat_ms?: number;
  /** Returns the owner and the places of an ad or thread. By default, they are unknown. */
  readonly subjectOf?: (id: string) => LiveSubject | null;
  readonly findByToken?: (token: string) => Promise<LiveCaller | null>;
  /**
   * Waits until a projection has processed the event log up to a position. Without `limit_ms`, the product uses the
   * configured limit.
   */
  readonly waitFor?: (
    projection: string,
    position: string,
    signal?: AbortSignal,
    limit_ms?: number,
  ) => Promise<unknown>;
}

/**
 * Starts a server that serves only the live channel, the WebSocket that sends changes to browsers. By default, all read
 * models are up to date and every visitor is a guest.
 */
export async function serveLiveChannel({
  feed,
  store,
  waitForFeed_ms = MAX_WAIT_ms,
  heartbeat_ms,
  subjectOf = () => null,
  findByToken = () => Promise.resolve(null),
  waitFor = () => Promise.resolve(true),
}: ServedChannelOptions): Promise<ServedChannel> {
  const channel = createLiveChannel({
    feed,
    store,
    feedTimeout_ms: waitForFeed_ms,
    ...(heartbeat_ms !== undefined && { heartbeat_ms }),
    progress: { waitFor } as unknown as ReadModelProgress,
    authentication: {
      findByToken,
      findValidSessionIds: (sessions: readonly LiveCaller[]) =>
        Promise.resolve(new Set(sessions.map(({ sessionId }) => sessionId))),
    } as unknown as Authentication,
    positionTokens,
    subjects: createSubjects(subjectOf),
    trustedProxies: 0,
    rateLimits: false,
    log: createLogger('silent'),
  });
  const server = createServer();
  server.on('upgrade', (req, socket: Socket, head) => {
    if (!channel.upgrade(req, socket, head, () => undefined)) socket.destroy();
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

function createSubjects(subjectOf: (id: string) => LiveSubject | null): LiveSubjects {
  const keysOf = (message: LiveMessage) =>
    findLiveKeys(message, subjectOf(isAdMessage(message) ? message.adId : message.threadId));
  return { findKeys: async (messages) => messages.map(keysOf), clear: () => undefined };
}

/** Creates a live feed for tests. It delivers every batch that the test passes to `give`. */
export function createManualFeed(): LiveFeed & { give(batch: LiveBatch): void } {
  const batches: LiveBatch[] = [];
  let wake: () => void = () => undefined;
  return {
    give(batch) {
      batches.push(batch);
      wake();
    },
    async *follow({ signal }) {
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        const batch = batches.shift();
        if (batch) yield batch;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
    close: async () => undefined,
  };
}

/** All channels of a test have the same secret, so that a client can resume at another channel. */
const positionTokens = createPositionTokens('ab'.repeat(32));

/** Returns the encrypted position of the nth event, as clients send it. `id` is the id of the event. */
export const tokenOf = (n: number, id: string | null = null): string => positionTokens.seal(positionOf(n), id);

/** Returns the position of the nth event, in the format of the Postgres event store. */
export const positionOf = (n: number): Position => String(n).padStart(19, '0') as Position;

/** Returns a batch with one message for each event after number `after` up to number `through`. */
export function liveBatch(after: number, through: number): LiveBatch {
  const messages = Array.from(
    { length: through - after },
    (_, n): LiveMessage => ({
      seq: positionOf(after + n + 1),
      type: 'ad_bumped',
      adId: `ad-${after + n + 1}`,
      place: null,
      isRestored: false,
      at: '2026-11-21T12:00:00.000Z',
    }),
  );
  return { after: positionOf(after), messages, through: positionOf(through) };
}
