import type { Admin } from 'kafkajs';
import type { KafkaConfig } from '../../config.ts';
import { pollUntil } from '../../waiting.ts';

const HOUR_ms = 60 * 60_000;
/** The log is removed in pieces: this many make up what is kept. */
const SEGMENTS = 4;
/** A new topic takes a moment to be known to every broker. */
const KNOWN_LIMIT_ms = 5_000;

/** Makes the topic, unless it is there: then it is taken as it is. Answers how many partitions it has. */
export async function ensureTopic(
  admin: Admin,
  { topic, partitions, replication, retention_h }: KafkaConfig,
): Promise<number> {
  if (!(await admin.listTopics()).includes(topic)) {
    const retention_ms = retention_h * HOUR_ms;
    // Another process may be making it at the same time; then this answers false.
    await admin.createTopics({
      waitForLeaders: false,
      topics: [
        {
          topic,
          numPartitions: partitions,
          replicationFactor: replication,
          configEntries: [
            { name: 'cleanup.policy', value: 'delete' },
            { name: 'retention.ms', value: String(retention_ms) },
            { name: 'segment.ms', value: String(retention_ms / SEGMENTS) },
            // One replica may be away without holding up the relay.
            { name: 'min.insync.replicas', value: String(Math.max(1, replication - 1)) },
          ],
        },
      ],
    });
  }
  const count = await pollUntil(() => partitionsOf(admin, topic), {
    timeout_ms: KNOWN_LIMIT_ms,
    signal: AbortSignal.timeout(KNOWN_LIMIT_ms),
  });
  if (count === null) throw new Error(`Topic ${topic} is not there`);
  return count;
}

/** Null while the broker that is asked has not heard of a new topic. */
async function partitionsOf(admin: Admin, topic: string): Promise<number | null> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.length || null;
  } catch (error) {
    if (['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'].includes((error as { type?: string }).type ?? ''))
      return null;
    throw error;
  }
}
