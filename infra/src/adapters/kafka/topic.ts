import type { Admin } from 'kafkajs';
import type { KafkaConfig } from '../../service/config.ts';
import { pollUntil } from '../../service/polling-and-slots.ts';

const HOUR_ms = 60 * 60_000;
/**
 * The number of segments into which the retention time is divided. Kafka removes old records only as whole segments.
 */
const SEGMENTS = 4;
/** The maximum time until every Kafka broker has information about a new topic. */
const KNOWN_LIMIT_ms = 5_000;

/**
 * Creates the Kafka topic if it does not exist, and leaves an existing topic unchanged. Returns the number of its
 * partitions.
 */
export async function ensureTopic(
  admin: Admin,
  { topic, partitions, replication, retention_h }: KafkaConfig,
): Promise<number> {
  if (!(await admin.listTopics()).includes(topic)) {
    const retention_ms = retention_h * HOUR_ms;
    // If another process creates the topic at the same time, the call returns false. The result is ignored, because the
    // topic exists in either case.
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
            // The relay, which fills the topic, can still write while one of several replicas is unavailable.
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
  if (count === null) throw new Error(`Topic ${topic} does not exist`);
  return count;
}

/** Returns the number of partitions of the topic, or null while the broker has no information about a new topic. */
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
