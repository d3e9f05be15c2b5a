import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { START } from '@alpenglow/domain';
import { createLogger, readConfig } from '@alpenglow/infra';
import { expect, test } from 'vitest';
import { createKafka } from '../../infra/engines/kafka.mjs';
import { openLivePublisher } from '../../infra/src/adapters/kafka/live-publisher.ts';

const log = createLogger('silent');

// A broker of its own, where there is one: the shared one lets everybody in.
test.runIf(process.env['KAFKA_BROKERS'] !== undefined)(
  'Kafka with a login: lets us in with the right password, and nobody else',
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
        if (!config.kafka) throw new Error('The engine names no broker');
        return openLivePublisher(config.kafka, { log });
      };
      const nothing = { after: START, messages: [], through: START };
      const [ours, wrong] = [await open(), await open({ KAFKA_PASSWORD: 'another' })];
      await ours.publish(nothing);
      const refusal = await wrong.publish(nothing).then(
        () => null,
        (error: Error) => error,
      );
      expect(String(refusal?.cause)).toMatch(/authentication/iu);
      expect(String(refusal?.cause)).not.toContain('another');
      await Promise.all([ours.close(), wrong.close()]);
    } finally {
      await kafka.dispose();
      await rm(dir, { recursive: true, force: true });
    }
  },
);
