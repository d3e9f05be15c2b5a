import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigurationError, readConfig } from '../src/config.ts';

describe('the configuration', () => {
  test('has defaults for a demo on one machine', () => {
    expect(readConfig({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      dataDir: '.data',
      demo: true,
      databaseUrl: null,
      eventStoreUrl: null,
      kafka: null,
      redisUrl: null,
      s3: null,
      secrets: null,
      adminEmail: 'admin@demo.alpenglow.example',
      exposeVerificationCodes: true,
      mfDir: '.build/mf',
      upstreams: null,
      drainDelay_ms: 2_000,
      finishRequests_ms: 4_000,
      logLevel: 'warn',
    });
  });
  test('shows no demo, no demo admin and no codes in production', () => {
    expect(readConfig({ NODE_ENV: 'production' })).toMatchObject({ demo: false, adminEmail: null, exposeVerificationCodes: false });
  });
  test('shows no codes where the database is somebody’s own', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://localhost/a' })).toMatchObject({ exposeVerificationCodes: false, databaseUrl: 'postgres://localhost/a' });
  });
  test('takes an empty variable as unset', () => {
    expect(readConfig({ PORT: '', DEMO: '' })).toMatchObject({ port: 8080, demo: true });
  });
  test('lists all faults at once', () => {
    const fault = (() => {
      try {
        return readConfig({ PORT: 'x', DEMO: 'maybe', ADMIN_EMAIL: 'nobody', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x' });
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toBeInstanceOf(ConfigurationError);
    for (const name of ['PORT', 'DEMO', 'ADMIN_EMAIL', 'LOG_LEVEL', 'DATABASE_URL']) expect((fault as Error).message).toContain(`${name}:`);
  });
  test('takes the engines of a cluster', () => {
    const config = readConfig({
      EVENTSTORE_URL: 'esdb://u:p@a:2113,b:2113?tls=false',
      KAFKA_BROKERS: 'a:9092, b:9092',
      REDIS_URL: 'redis://r:6379',
      S3_ENDPOINT: 'http://s:9000',
      S3_BUCKET: 'alpenglow',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'key',
    });
    expect(config).toMatchObject({ eventStoreUrl: 'esdb://u:p@a:2113,b:2113?tls=false', kafka: { brokers: ['a:9092', 'b:9092'], partitions: 6 }, redisUrl: 'redis://r:6379', s3: { bucket: 'alpenglow' } });
  });
  test('names what is missing of settings that belong together, and repeats no value', () => {
    const secret = 'f'.repeat(64);
    expect(() => readConfig({ S3_ENDPOINT: 'http://s:9000', SECRET_DATA_KEYS: secret })).toThrow(
      /S3_BUCKET: .*\nS3_ACCESS_KEY_ID: .*\nS3_SECRET_ACCESS_KEY: .*\nSECRET_ACCOUNT_IDS: .*\nSECRET_VERIFICATION_CODES: /u,
    );
    const fault = (() => {
      try {
        return readConfig({ SECRET_DATA_KEYS: `${secret}0` });
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toBeInstanceOf(ConfigurationError);
    expect((fault as Error).message).not.toContain(secret);
  });
  test('is what the table in the README says', () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const documented = [...readFileSync(path.join(root, 'README.md'), 'utf8').matchAll(/^\| ((?:`[A-Z0-9_]+` ?)+)\|/gmu)].flatMap(([, names = '']) => [...names.matchAll(/[A-Z0-9_]+/gu)].map(([name]) => name));
    const read = [...readFileSync(path.join(root, 'infra/src/config.ts'), 'utf8').matchAll(/^ {2}([A-Z0-9_]+):/gmu)].map(([, name]) => name);
    expect(documented.sort()).toEqual(read.sort());
  });
});
