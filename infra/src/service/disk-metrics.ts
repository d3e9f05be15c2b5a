import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from './config.ts';
import { registerGauge, type Metrics } from './metrics.ts';

/** The size of a disk in blocks, and its free blocks that a process without special rights can use. */
interface DiskSpace {
  readonly bsize: number;
  readonly blocks: number;
  readonly bavail: number;
}

/** Returns the folders in which a process may write, by the name that the metrics show. */
export function writtenFolders(
  { dataDir, mfDir }: Pick<Config, 'dataDir' | 'mfDir'>,
  rootDir: string,
): Readonly<Record<string, string>> {
  return {
    data: path.resolve(rootDir, dataDir),
    'front-ends': path.resolve(rootDir, mfDir),
    temporary: tmpdir(),
  };
}

/**
 * Registers the size and the free space, in bytes, of the disks that contain the given folders. A folder that does not
 * exist has no values, because a service does not use all of them. `read` replaces the call of the operating system in
 * tests.
 */
export function registerDiskMetrics(
  registry: Metrics,
  folders: Readonly<Record<string, string>>,
  read: (folder: string) => Promise<DiskSpace> = statfs,
): void {
  const measure = async (bytesOf: (space: DiskSpace) => number) => {
    const found = await Promise.all(
      Object.entries(folders).map(async ([name, folder]) => {
        const space = await read(folder).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return null;
          throw error;
        });
        // File systems of the kernel have no size.
        return space && space.blocks > 0 ? [[name, bytesOf(space)] as const] : [];
      }),
    );
    return Object.fromEntries(found.flat());
  };
  registerGauge(
    registry,
    'disk_free_bytes',
    'Free space of the disk with a folder in which the process writes',
    () => measure(({ bavail, bsize }) => bavail * bsize),
    'folder',
  );
  registerGauge(
    registry,
    'disk_size_bytes',
    'Size of the disk with a folder in which the process writes',
    () => measure(({ blocks, bsize }) => blocks * bsize),
    'folder',
  );
}
