import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CONTRACT_VERSION, type Registry, type RegistryEntry, type RemoteName } from '@alpenglow/ui/contract';
import { Router } from 'express';
import { OWNERS } from '../../src/routes/owners.ts';
import type { ShellBuild } from '../shell-build.ts';

export interface StatusOptions {
  readonly build: ShellBuild;
  readonly registry: () => Promise<Registry>;
  readonly mfDir: string;
}

/**
 * Creates the routes below `/status`, which show developers the live and earlier deployments of the front ends. The
 * reports of browsers about errors and speeds are in the API, because this server has no database.
 */
export function statusRoutes({ build, registry, mfDir }: StatusOptions): Router {
  const router = Router();

  router.get('/front-ends.json', async (_req, res) => {
    const { remotes } = await registry();
    const shell = { hash: build.hash, sizeBytes: build.sizeBytes, contractVersion: CONTRACT_VERSION };
    const described = await Promise.all(
      [...new Set([...OWNERS, ...Object.keys(remotes)])].map(async (name) => ({
        ...describe(name, remotes[name]),
        deployments: await deploymentsOf(mfDir, name),
      })),
    );
    res.set('Cache-Control', 'no-store').json({ success: true, data: { shell, remotes: described } });
  });
  return router;
}

function describe(name: RemoteName, entry: RegistryEntry | undefined) {
  const { hash = null, contract = null, fits = false, sizeBytes = null, deployedAt = null } = entry ?? {};
  return { name, hash, contract, fits, sizeBytes, deployedAt };
}

/** Returns the stored deployments of a remote, latest first. Returns an empty list if no deployments are stored. */
async function deploymentsOf(
  mfDir: string,
  name: RemoteName,
): Promise<readonly Pick<RegistryEntry, 'hash' | 'deployedAt'>[]> {
  try {
    // The cast is safe, because our deployment script wrote the JSON. The script replaces the file atomically.
    const history = JSON.parse(
      await readFile(path.join(mfDir, name, 'history.json'), 'utf8'),
    ) as readonly RegistryEntry[];
    return history.map(({ hash, deployedAt }) => ({ hash, deployedAt })).reverse();
  } catch {
    return [];
  }
}
