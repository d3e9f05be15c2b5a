import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bundleForNode } from '../support/bundle.mjs';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { runBundle } from '../support/processes.ts';

/** A run of the tests leaves nothing behind when it is killed, and never changes what a running site serves. */

/** Reads a file of a process below `/proc`. Returns an empty text if the process has ended. */
function read(id: string, name: 'cmdline' | 'comm' | 'cwd' | 'environ'): string {
  try {
    return name === 'cwd' ? readlinkSync(`/proc/${id}/cwd`) : readFileSync(`/proc/${id}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** Returns the ids of the processes that use a folder. */
function usersOf(folder: string): readonly string[] {
  return readdirSync('/proc').filter(
    (id) =>
      /^\d+$/u.test(id) &&
      Number(id) !== process.pid &&
      (['cmdline', 'environ', 'cwd'] as const).some((name) => read(id, name).includes(folder)),
  );
}

/** Returns the segments of shared memory that one of these processes has created. */
const sharedMemoryOf = (ids: readonly string[]) =>
  readFileSync('/proc/sysvipc/shm', 'utf8')
    .split('\n')
    .filter((line) => ids.includes(line.trim().split(/\s+/u)[4] ?? ''));

test.runIf(existsSync('/proc/self'))('a killed run leaves no process, no folder and no shared memory', async () => {
  const bundle = await bundleForNode('./killed-run.ts');
  try {
    const run = runBundle(bundle.path, null);
    const lines = run.lines[Symbol.asyncIterator]();
    const nextWords = async () =>
      String((await lines.next()).value)
        .split(' ')
        .slice(1);
    const folders = await nextWords();
    const [productId = ''] = await nextWords();
    const servers = folders.map((folder) => usersOf(folder).filter((id) => read(id, 'comm').trim() === 'postgres'));
    expect(servers.map(({ length }) => length > 0)).toEqual([true, true]);
    expect(usersOf(folders[1] ?? '')).toContain(productId);
    if (existsSync('/proc/sysvipc/shm')) expect(sharedMemoryOf(servers.flat()).length).toBeGreaterThan(0);

    run.kill();
    for (const folder of folders) {
      await expect.poll(() => existsSync(folder), { timeout: MAX_WAIT_ms }).toBe(false);
      await expect.poll(() => usersOf(folder), { timeout: MAX_WAIT_ms }).toEqual([]);
    }
    if (existsSync('/proc/sysvipc/shm'))
      await expect.poll(() => sharedMemoryOf(servers.flat()), { timeout: MAX_WAIT_ms }).toEqual([]);
  } finally {
    await bundle.remove();
  }
});

test('temporary files of this run are in one folder, and no front end is deployed into the folder of a site', () => {
  const folder = process.env['TMPDIR'] ?? '';
  expect(folder).toMatch(/\/alpenglow-(?:run|engines|test)-\w+(?:\/tmp)?$/u);
  const site = path.resolve(import.meta.dirname, '../../.build/mf');
  expect(path.resolve(process.env['MF_DIR'] ?? site)).not.toBe(site);
});
