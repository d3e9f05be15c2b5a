import type { EventStore, LiveBatch, LiveFeed } from '@alpenglow/domain';
import type { KafkaConfig } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { withLimits, createKafkaClient } from './client.ts';
import { createFollowerProgress, type FollowerProgress } from './follower-progress.ts';
import { createLogCheck } from './log-check.ts';
import { openTopicReader, type TopicReader } from './topic-reader.ts';

const OPEN_LIMIT_ms = 15_000;
const FIRST_RETRY_WAIT_ms = 250;
const LONGEST_RETRY_WAIT_ms = 2_000;

/**
 * Opens the feed of live messages, which inform browsers about new events, from Kafka. Each follower reads the whole
 * topic with its own offsets, so any number of processes can follow. Kafka may be unreachable when the feed is opened.
 * When a run of the relay begins, the feed checks in `store` whether the event log was replaced.
 */
export function openKafkaLiveFeed(
  config: KafkaConfig,
  { store, log }: { readonly store: Pick<EventStore, 'findEventId'>; readonly log: Logger },
): LiveFeed {
  const closed = new AbortController();
  const following = new Set<Promise<void>>();

  async function* follow(signal: AbortSignal): AsyncGenerator<LiveBatch> {
    const stopped = new AbortController();
    const ended = AbortSignal.any([signal, closed.signal, stopped.signal]);
    const place = createFollowerProgress({ isInLog: createLogCheck({ store, log }) });
    let reader: TopicReader | null = null;
    const reading = keepReading(place, ended, (opened) => {
      reader = opened;
    });
    following.add(reading);
    try {
      const resumePartitions = () => reader?.resumePartitions();
      for (let batch = await place.next(ended, resumePartitions); batch !== null; ) {
        yield batch;
        batch = await place.next(ended, resumePartitions);
      }
    } finally {
      stopped.abort();
      await reading;
      following.delete(reading);
    }
  }

  /**
   * Reads the topic until the signal aborts. When a topic reader fails, opens a new one, which resumes at the same
   * offsets.
   */
  async function keepReading(
    place: FollowerProgress,
    signal: AbortSignal,
    onReader: (reader: TopicReader) => void,
  ): Promise<void> {
    let wait_ms = FIRST_RETRY_WAIT_ms;
    let isOutage = false;
    let hasWarned = false;
    const receive: FollowerProgress['receive'] = (received) => {
      const foreignRecords = place.receive(received);
      if (isOutage) log.info({ topic: config.topic }, 'live feed receives from Kafka again');
      if (foreignRecords > 0 && !hasWarned)
        log.warn(
          { topic: config.topic, partition: received.partition },
          'records skipped: they were not written by our relay',
        );
      isOutage = false;
      hasWarned ||= foreignRecords > 0;
      wait_ms = FIRST_RETRY_WAIT_ms;
      return foreignRecords;
    };
    while (!signal.aborted) {
      try {
        await readOnce({ ...place, receive }, signal, onReader);
      } catch (error) {
        if (signal.aborted) return;
        log[isOutage ? 'debug' : 'warn']({ err: error }, 'live feed receives nothing from Kafka, retrying');
        isOutage = true;
      }
      await waitUnlessAborted(wait_ms, signal);
      wait_ms = Math.min(wait_ms * 2, LONGEST_RETRY_WAIT_ms);
    }
  }

  async function readOnce(
    place: FollowerProgress,
    signal: AbortSignal,
    onReader: (reader: TopicReader) => void,
  ): Promise<never> {
    const client = await createKafkaClient(config, log);
    let reader: TopicReader;
    try {
      reader = await withLimits(openTopicReader(client, config, place), { limit_ms: OPEN_LIMIT_ms, signal });
    } catch (error) {
      client.closeConnections();
      throw error;
    }
    try {
      onReader(reader);
      await withLimits(reader.start(), { limit_ms: OPEN_LIMIT_ms, signal });
      return await withLimits(reader.failed, { signal });
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
