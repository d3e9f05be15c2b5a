import path from 'node:path';
import { startEmbeddedPostgres } from '@alpenglow/launcher/postgres';
import { createServerFolder, removeServerFiles } from '../tests/support/server-folder.mjs';

/**
 * Starts the Postgres of the product, with durable commits, in a temporary folder. Calls `work` with its connection
 * string, and removes the server and the folder afterwards.
 */
export async function withTemporaryPostgres<T>(
  settings: Readonly<Record<string, string>>,
  work: (connectionString: string, server: { readonly pid: number; readonly folder: string }) => Promise<T>,
): Promise<T> {
  const folder = await createServerFolder('bench');
  const postgres = await startEmbeddedPostgres({ dataDir: folder, settings });
  try {
    return await work(postgres.superuserUrl, { pid: postgres.pid, folder });
  } finally {
    await postgres.stop();
    for (const one of [path.dirname(postgres.clusterDir), folder]) await removeServerFiles(one);
  }
}
