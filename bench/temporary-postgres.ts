import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '@alpenglow/launcher/postgres';

/**
 * Starts the Postgres of the product, with durable commits, in a temporary folder. Calls `work` with its connection
 * string, and removes the server afterwards.
 */
export async function withTemporaryPostgres<T>(
  settings: Readonly<Record<string, string>>,
  work: (connectionString: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-bench-'));
  // If this process runs as root, Postgres runs as another user. That user must be able to enter the folder.
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, settings });
  try {
    return await work(postgres.superuserUrl);
  } finally {
    await postgres.stop();
    for (const one of [path.dirname(postgres.clusterDir), folder])
      await rm(one, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
