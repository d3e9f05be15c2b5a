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
      adminEmail: 'admin@demo.alpenglow.example',
      exposeVerificationCodes: true,
      mfDir: '.build/mf',
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
  test('is what the table in the README says', () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const documented = [...readFileSync(path.join(root, 'README.md'), 'utf8').matchAll(/^\| `([A-Z_]+)` \|/gmu)].map(([, name]) => name);
    const read = [...readFileSync(path.join(root, 'infra/src/config.ts'), 'utf8').matchAll(/^ {2}([A-Z_]+):/gmu)].map(([, name]) => name);
    expect(documented.sort()).toEqual(read.sort());
  });
});
