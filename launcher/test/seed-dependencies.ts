import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFileBlobStore, type CommandHandler } from '@alpenglow/infra';
import { createMemoryDataKeys } from '../../tests/support/memory-data-keys.ts';

/** Returns the id of the account with this e-mail address in the tests of the demo data. */
export const createAccountId = (email: string): string => email.replaceAll(/\W/gu, '-');

/**
 * Creates what the functions of `launcher/seed` need: files in a temporary folder, keys in memory, and a record of the
 * views that were added. `remove` deletes the folder.
 */
export async function createSeedDependencies(commands: CommandHandler) {
  const folder = mkdtempSync(path.join(tmpdir(), 'alpenglow-seed-'));
  const views = new Map<string, number>();
  return {
    commands,
    createAccountId,
    blobs: await createFileBlobStore({ root: folder }),
    dataKeys: createMemoryDataKeys(),
    views,
    addViews: (added: ReadonlyMap<string, number>) => {
      for (const [adId, count] of added) views.set(adId, (views.get(adId) ?? 0) + count);
      return Promise.resolve();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
