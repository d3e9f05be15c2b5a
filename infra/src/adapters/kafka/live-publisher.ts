import type { LivePublisher, RelayBatch } from '@alpenglow/domain';
import type { KafkaConfig } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';
import { withLimits, createKafkaClient, KAFKA_RETRY, type KafkaClient } from './client.ts';
import { toRecords } from './live-record.ts';
import { ensureTopic } from './topic.ts';

const CONNECT_LIMIT_ms = 10_000;
const WRITE_LIMIT_ms = 10_000;
const DISCONNECT_LIMIT_ms = 2_000;
/** The maximum time until the publisher notices that partitions were added to the topic. */
const METADATA_AGE_ms = 30_000;

interface Opening {
  readonly client: KafkaClient;
  readonly writer: Promise<Writer>;
}

type Writer = Awaited<ReturnType<typeof connect>>;

/**
 * Opens the publisher, which writes live messages to the Kafka topic. It connects when the first batch is published,
 * and reconnects after every failure. Kafka may therefore be unreachable when the publisher is opened.
 */
export async function openLivePublisher(
  config: KafkaConfig,
  { log, metadataAge_ms = METADATA_AGE_ms }: { readonly log: Logger; readonly metadataAge_ms?: number },
): Promise<LivePublisher> {
  const partitionOfKey = (await createKafkaClient(config, log)).partitioners.DefaultPartitioner();
  let opening: Promise<Opening> | null = null;
  let closed = false;

  async function open(): Promise<Opening> {
    const client = await createKafkaClient(config, log);
    const writer = connect(client, config, metadataAge_ms);
    // The rejection of `writer` is handled here, because it may occur when no caller awaits `writer` any more. An
    // unhandled rejection would end the process.
    writer.catch(() => undefined);
    return { client, writer };
  }

  async function write({ producer, partitions }: Writer, batch: RelayBatch): Promise<void> {
    const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
      partitionId,
      leader: 0,
      partitionErrorCode: 0,
      replicas: [],
      isr: [],
    }));
    const partitionOf = (stream: string) =>
      partitionOfKey({ topic: config.topic, partitionMetadata, message: { key: stream, value: null } });
    await producer.send({
      topic: config.topic,
      acks: -1,
      timeout: WRITE_LIMIT_ms,
      messages: toRecords(batch, partitions, partitionOf),
    });
  }

  return {
    async publish(batch) {
      if (closed) throw new Error('The live publisher is closed');
      const current = (opening ??= open());
      try {
        const writer = await withLimits((await current).writer, { limit_ms: CONNECT_LIMIT_ms });
        await withLimits(write(writer, batch), { limit_ms: WRITE_LIMIT_ms });
      } catch (cause) {
        // The next batch uses a new producer. Unfinished writes of the old producer may still reach Kafka, which is
        // harmless, because readers ignore repeated records.
        if (opening === current) opening = null;
        void disconnect(current);
        throw new Error('The live topic cannot be written', { cause });
      }
    },
    async close() {
      closed = true;
      if (opening) await disconnect(opening);
    },
  };
}

async function connect({ kafka }: KafkaClient, config: KafkaConfig, metadataAge_ms: number) {
  const admin = kafka.admin();
  let partitions: number;
  try {
    await admin.connect();
    partitions = await ensureTopic(admin, config);
  } finally {
    await admin.disconnect();
  }
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    metadataMaxAge: metadataAge_ms,
    retry: KAFKA_RETRY,
    createPartitioner:
      () =>
      ({ message, partitionMetadata }) => {
        // A changed number of partitions is an error, because it assigns streams to other partitions. In addition, this
        // producer would write no watermarks (progress records) to the new partitions.
        if (partitionMetadata.length !== partitions)
          throw new Error(`Topic ${config.topic} has ${partitionMetadata.length} partitions now`);
        return message.partition ?? 0;
      },
  });
  try {
    await producer.connect();
  } catch (error) {
    await producer.disconnect().catch(() => undefined);
    throw error;
  }
  return { producer, partitions };
}

/** Waits up to 2 s for a proper disconnect, and then closes all connections. */
async function disconnect(opening: Promise<Opening>): Promise<void> {
  const { client, writer } = await opening;
  const disconnecting = writer.then(({ producer }) => producer.disconnect());
  await withLimits(disconnecting, { limit_ms: DISCONNECT_LIMIT_ms }).catch(() => undefined);
  client.closeConnections();
}
