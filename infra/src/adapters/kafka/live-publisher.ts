import type { LivePublisher, RelayedBatch } from '@alpenglow/domain';
import type { Producer } from 'kafkajs';
import type { KafkaConfig } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { bounded, createKafkaClient, RETRY, type KafkaClient } from './client.ts';
import { toRecords } from './live-record.ts';
import { ensureTopic } from './topic.ts';

const CONNECT_LIMIT_ms = 10_000;
const WRITE_LIMIT_ms = 10_000;
const DISCONNECT_LIMIT_ms = 2_000;
/** So soon a topic with more partitions is noticed. */
const METADATA_AGE_ms = 30_000;

interface Opening {
  readonly client: KafkaClient;
  readonly writer: Promise<Writer>;
}

interface Writer {
  readonly producer: Producer;
  readonly partitions: number;
}

interface LivePublisherOptions {
  readonly log: Logger;
  readonly metadataAge_ms?: number;
}

/** The relay's end of the live topic. Connects with the first batch, and anew after every failure, so Kafka may be away when this is opened. */
export async function openLivePublisher(
  config: KafkaConfig,
  { log, metadataAge_ms = METADATA_AGE_ms }: LivePublisherOptions,
): Promise<LivePublisher> {
  const partitionOfKey = (await createKafkaClient(config, log)).partitioners.DefaultPartitioner();
  let opening: Promise<Opening> | null = null;
  let closed = false;

  async function open(): Promise<Opening> {
    const client = await createKafkaClient(config, log);
    const writer = connect(client, config, metadataAge_ms);
    // It may fail after nobody waits for it any more.
    writer.catch(() => undefined);
    return { client, writer };
  }

  async function publishWith({ writer }: Opening, batch: RelayedBatch): Promise<void> {
    await bounded(write(await bounded(writer, { limit_ms: CONNECT_LIMIT_ms }), batch), { limit_ms: WRITE_LIMIT_ms });
  }

  async function write({ producer, partitions }: Writer, batch: RelayedBatch): Promise<void> {
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
      const mine = (opening ??= open());
      try {
        await publishWith(await mine, batch);
      } catch (cause) {
        // What this producer still has under way may arrive late, which does no harm; a new one begins with a clean slate.
        if (opening === mine) opening = null;
        void disconnect(mine);
        throw new Error('The live topic cannot be written', { cause });
      }
    },
    async close() {
      closed = true;
      if (opening) await disconnect(opening);
    },
  };
}

async function connect({ kafka }: KafkaClient, config: KafkaConfig, metadataAge_ms: number): Promise<Writer> {
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
    retry: RETRY,
    createPartitioner:
      () =>
      ({ message, partitionMetadata }) => {
        // Streams would change partitions, and watermarks miss the new ones.
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

/** In good order if that takes but a moment. */
async function disconnect(opening: Promise<Opening>): Promise<void> {
  const { client, writer } = await opening;
  const disconnecting = writer.then(({ producer }) => producer.disconnect());
  await bounded(disconnecting, { limit_ms: DISCONNECT_LIMIT_ms }).catch(() => undefined);
  client.letGo();
}
