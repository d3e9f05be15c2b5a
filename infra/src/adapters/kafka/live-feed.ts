import { setTimeout as pause } from 'node:timers/promises';
import type { LiveBatch, LiveFeed } from '@alpenglow/domain';
import type { KafkaConfig } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { bounded, createKafkaClient } from './client.ts';
import { createFollowerPlace, type FollowerPlace } from './follower-place.ts';
import { openTopicReader, type TopicReader } from './topic-reader.ts';

const OPEN_LIMIT_ms = 15_000;
const FIRST_RETRY_WAIT_ms = 250;
const LONGEST_RETRY_WAIT_ms = 2_000;

/**
 * The live feed from Kafka. Each follower reads the whole topic from a place of its own, so any number of processes may. Kafka may
 * be away when this is opened.
 */
export function openKafkaLiveFeed(config: KafkaConfig, { log }: { readonly log: Logger }): LiveFeed {
  const closed = new AbortController();
  const following = new Set<Promise<void>>();

  async function* follow(signal: AbortSignal): AsyncGenerator<LiveBatch> {
    const left = new AbortController();
    const ended = AbortSignal.any([signal, closed.signal, left.signal]);
    const place = createFollowerPlace();
    let reader: TopicReader | null = null;
    const reading = keepReading(place, ended, (opened) => {
      reader = opened;
    });
    following.add(reading);
    try {
      for (let batch = await place.next(ended); batch !== null; batch = await place.next(ended)) {
        (reader as TopicReader | null)?.resumeDrained();
        yield batch;
      }
    } finally {
      left.abort();
      await reading;
      following.delete(reading);
    }
  }

  /** Reads until the signal aborts, with one reader after the other; each goes on where the one before was. */
  async function keepReading(
    place: FollowerPlace,
    signal: AbortSignal,
    onReader: (reader: TopicReader) => void,
  ): Promise<void> {
    let wait_ms = FIRST_RETRY_WAIT_ms;
    let isOutage = false;
    let hasForeign = false;
    const receive: FollowerPlace['receive'] = (received) => {
      const foreign = place.receive(received);
      if (isOutage) log.info({ topic: config.topic }, 'live feed hears from Kafka again');
      if (foreign > 0 && !hasForeign)
        log.warn(
          { topic: config.topic, partition: received.partition },
          'records passed over: no relay of ours wrote them',
        );
      isOutage = false;
      hasForeign ||= foreign > 0;
      wait_ms = FIRST_RETRY_WAIT_ms;
      return foreign;
    };
    while (!signal.aborted) {
      try {
        await readOnce({ ...place, receive }, signal, onReader);
      } catch (error) {
        if (signal.aborted) return;
        log[isOutage ? 'debug' : 'warn']({ err: error }, 'live feed hears nothing from Kafka, trying again');
        isOutage = true;
      }
      await pause(wait_ms, undefined, { signal }).catch(() => undefined);
      wait_ms = Math.min(wait_ms * 2, LONGEST_RETRY_WAIT_ms);
    }
  }

  async function readOnce(
    place: FollowerPlace,
    signal: AbortSignal,
    onReader: (reader: TopicReader) => void,
  ): Promise<never> {
    const client = await createKafkaClient(config, log);
    let reader: TopicReader;
    try {
      reader = await bounded(openTopicReader(client, config, place), { limit_ms: OPEN_LIMIT_ms, signal });
    } catch (error) {
      client.letGo();
      throw error;
    }
    try {
      onReader(reader);
      await bounded(reader.start(), { limit_ms: OPEN_LIMIT_ms, signal });
      return await bounded(reader.failed, { signal });
    } finally {
      await reader.close();
    }
  }

  return {
    follow: ({ signal }) => follow(signal),
    async close() {
      closed.abort();
      await Promise.all(following);
    },
  };
}
