import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { BackingServiceUnavailable } from '../../launcher/engines/engine.mjs';
import { createPostgres } from '../../launcher/engines/postgres.mjs';

const dir = await mkdtemp(path.join(tmpdir(), 'alpenglow-postgres-'));
const backingService = await createPostgres({ dir: path.join(dir, 'postgres') }).catch((error: unknown) => {
  if (error instanceof BackingServiceUnavailable) return error;
  throw error;
});
afterAll(() => rm(dir, { recursive: true }));

if (backingService instanceof BackingServiceUnavailable)
  test.skip(`Postgres, killed: not run, ${backingService.message}`);
else {
  afterAll(() => backingService.dispose());

  async function connect(): Promise<Client> {
    const client = new Client(
      backingService instanceof BackingServiceUnavailable ? '' : backingService.env['DATABASE_URL'],
    );
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  test('the Postgres for tests preserves every acknowledged write when it is killed', async () => {
    await backingService.start();
    const client = await connect();
    await client.query('create table written (n integer)');
    let acknowledged = 0;
    const writing = (async () => {
      for (;;) {
        await client.query('insert into written values ($1)', [acknowledged]);
        acknowledged += 1;
        if (acknowledged === 100) void backingService.stop('SIGKILL');
      }
    })();
    await expect(writing).rejects.toThrow();
    await backingService.stop('SIGKILL');
    await backingService.start();
    const again = await connect();
    const { rows } = await again.query<{ count: number }>('select count(*)::integer as count from written');
    // The last row may be stored although its response did not arrive.
    expect([0, 1]).toContain((rows[0]?.count ?? 0) - acknowledged);
    expect(acknowledged).toBeGreaterThanOrEqual(100);
    await again.end();
  });
}
