import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSecrets } from '../src/security/secrets.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-secrets-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe('the secrets of an installation', () => {
  test('are created by the first run, readable only for their owner, and stay the same', async () => {
    const secrets = await loadSecrets(dataDir);
    expect((await stat(path.join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
    for (const secret of Object.values(secrets)) expect(secret).toMatch(/^[0-9a-f]{64}$/u);
    expect(new Set(Object.values(secrets)).size).toBe(3);
    expect(await loadSecrets(dataDir)).toEqual(secrets);
  });

  test('are the same for processes that start in parallel, which leave no other files', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => loadSecrets(dataDir)));
    expect(new Set(all.map((secrets) => JSON.stringify(secrets))).size).toBe(1);
    expect(await readdir(dataDir)).toEqual(['secrets.json']);
  });

  test('are never replaced if the file is damaged', async () => {
    await writeFile(path.join(dataDir, 'secrets.json'), '{"accountIds":"short"}');
    await chmod(path.join(dataDir, 'secrets.json'), 0o600);
    await expect(loadSecrets(dataDir)).rejects.toThrow('is damaged; restore it from a backup');
  });
});
