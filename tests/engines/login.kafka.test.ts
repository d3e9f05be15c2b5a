import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { START_POSITION } from '@alpenglow/domain';
import { createLogger, readConfig } from '@alpenglow/infra';
import { expect, test } from 'vitest';
import { createKafka } from '../../launcher/engines/kafka.mjs';
import { openLivePublisher } from '../../infra/src/adapters/kafka/live-publisher.ts';

const log = createLogger('silent');

// The shared broker requires no login, so this test starts another broker.
test.runIf(process.env['KAFKA_BROKERS'] !== undefined)(
  'Kafka with a login accepts only the correct password',
  async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-kafka-login-'));
    const kafka = await createKafka({
      dir: path.join(dir, 'kafka'),
      login: { username: 'alpenglow', password: 'a-password-of-the-test' },
    });
    try {
      await kafka.start();
      const open = (changes: Record<string, string> = {}) => {
        const config = readConfig({ ...kafka.env, ...changes });
        if (!config.kafka) throw new Error('The environment contains no broker');
        return openLivePublisher(config.kafka, { log });
      };
      const emptyBatch = { after: START_POSITION, messages: [], through: START_POSITION };
      const [ours, wrong] = [await open(), await open({ KAFKA_PASSWORD: 'another' })];
      await ours.publish(emptyBatch);
      const error = await wrong.publish(emptyBatch).then(
        () => null,
        (error: Error) => error,
      );
      expect(String(error?.cause)).toMatch(/authentication/iu);
      expect(String(error?.cause)).not.toContain('another');
      await Promise.all([ours.close(), wrong.close()]);
    } finally {
      await kafka.dispose();
      await rm(dir, { recursive: true, force: true });
    }
  },
);
