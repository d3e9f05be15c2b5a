import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { EngineUnavailable } from '../../infra/engines/engine.mjs';
import { createPostgres } from '../../infra/engines/postgres.mjs';

const dir = await mkdtemp(path.join(tmpdir(), 'alpenglow-postgres-'));
const engine = await createPostgres({ dir: path.join(dir, 'postgres') }).catch((error: unknown) => {
  if (error instanceof EngineUnavailable) return error;
  throw error;
});
afterAll(() => rm(dir, { recursive: true }));

if (engine instanceof EngineUnavailable) test.skip(`Postgres, killed: not run, ${engine.message}`);
else {
  afterAll(() => engine.dispose());

  async function connect(): Promise<Client> {
    const client = new Client(engine instanceof EngineUnavailable ? '' : engine.env['DATABASE_URL']);
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  test('the Postgres for tests keeps every write it acknowledged when it is killed', async () => {
    await engine.start();
    const client = await connect();
    await client.query('create table written (n integer)');
    let acknowledged = 0;
    const writing = (async () => {
      for (;;) {
        await client.query('insert into written values ($1)', [acknowledged]);
        acknowledged += 1;
        if (acknowledged === 100) void engine.stop('SIGKILL');
      }
    })();
    await expect(writing).rejects.toThrow();
    await engine.stop('SIGKILL');
    await engine.start();
    const again = await connect();
    const { rows } = await again.query<{ count: number }>('select count(*)::integer as count from written');
    // One more may have been written whose answer did not arrive.
    expect([0, 1]).toContain((rows[0]?.count ?? 0) - acknowledged);
    expect(acknowledged).toBeGreaterThanOrEqual(100);
    await again.end();
  });
}
