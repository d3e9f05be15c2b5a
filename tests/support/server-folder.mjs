// @ts-check
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Creates a temporary folder for the files of servers.
 * @param {string} name   part of the name of the folder
 */
export async function createServerFolder(name) {
  const folder = await mkdtemp(path.join(tmpdir(), `alpenglow-${name}-`));
  // If this process runs as root, Postgres runs as another user. That user must be able to enter the folder.
  await chmod(folder, 0o711);
  return folder;
}

/**
 * Removes a file or a folder. This is retried, because processes of a killed server may still write for a short time.
 * @param {string} file
 */
export const removeServerFiles = (file) => rm(file, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
