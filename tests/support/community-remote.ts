import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { localKeys, signBuild } from '../../shell/build/signing.mjs';

/**
 * Creates a deployment folder for remotes. The folder contains the registry entry of mf-community but none of its
 * scripts. The server needs only this entry to render the first HTML of community pages.
 */
export async function createCommunityRemote(): Promise<{ readonly mfDir: string; remove(): Promise<void> }> {
  const { preloadData } = JSON.parse(
    await readFile(path.resolve(import.meta.dirname, '../../mf-community/package.json'), 'utf8'),
  ) as { preloadData: object };
  const mfDir = await mkdtemp(path.join(os.tmpdir(), 'stated-remotes-'));
  const build = {
    name: 'mf-community',
    hash: '0'.repeat(16),
    contract: CONTRACT_VERSION,
    preload: [],
    preloadData,
    integrity: {},
    sizeBytes: 0,
    deployedAt: '2026-11-01T00:00:00.000Z',
  };
  const entry = signBuild(build, localKeys(mfDir).privateKey);
  await mkdir(path.join(mfDir, 'mf-community'), { recursive: true });
  await writeFile(path.join(mfDir, 'registry.json'), JSON.stringify({ remotes: { 'mf-community': [entry] } }));
  return {
    mfDir,
    async remove() {
      for (const file of [mfDir, `${mfDir}.key`]) await rm(file, { recursive: true, force: true });
    },
  };
}
