import { OFFERED_CONTRACTS, type RegistryEntry, type RemoteName } from '@alpenglow/ui/contract';
import { Router } from 'express';
import { readHistory } from '../../build/registry.mjs';
import { OWNERS } from '../../src/routes/owners.ts';
import type { LiveBuilds } from '../registry-file.ts';
import type { ShellBuild } from '../shell-build.ts';

export interface StatusOptions {
  readonly build: ShellBuild;
  readonly registry: () => Promise<LiveBuilds>;
  readonly mfDir: string;
}

/**
 * Creates the routes below `/status`, which show developers the live and earlier deployments of the front ends. The
 * reports of browsers about errors and speeds are in the API, because this server has no database.
 */
export function statusRoutes({ build, registry, mfDir }: StatusOptions): Router {
  const router = Router();

  router.get('/front-ends.json', async (_req, res) => {
    const { remotes, builds, canaries } = await registry();
    const shell = { hash: build.hash, sizeBytes: build.sizeBytes, contractVersion: OFFERED_CONTRACTS.join(', ') };
    const described = await Promise.all(
      [...new Set([...OWNERS, ...Object.keys(remotes)])].map(async (name) => ({
        ...describe(name, remotes[name]),
        canary: canaries[name] ? { hash: canaries[name].build.hash, percent: canaries[name].percent } : null,
        deployments: await deploymentsOf(mfDir, name, builds[name] ?? []),
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

/** A stored deployment of a remote, as the page shows it. */
interface ShownDeployment extends Pick<RegistryEntry, 'hash' | 'deployedAt' | 'contract'> {
  /** True if a shell runs it that offers a contract version of its range. */
  readonly isLive: boolean;
  readonly isRolledBack: boolean;
  /** True if it was never live. */
  readonly isPreview: boolean;
  /** True if its deployer has skipped the check of types and tests. */
  readonly isForced: boolean;
  /** Why the server has rolled it back. Null if it has not. */
  readonly reason: string | null;
}

/** Returns the stored deployments of a remote, latest first. There are none if their file cannot be read. */
async function deploymentsOf(
  mfDir: string,
  name: RemoteName,
  live: readonly RegistryEntry[],
): Promise<readonly ShownDeployment[]> {
  const history = await readHistory(mfDir, name).catch(() => []);
  return history
    .map(({ hash, deployedAt, contract, isRolledBack = false, isForced = false, stage, rollback }) => ({
      ...{ hash, deployedAt, contract, isRolledBack, isForced },
      isPreview: stage === 'preview',
      reason: rollback?.reason ?? null,
      isLive: live.some((build) => build.hash === hash),
    }))
    .reverse();
}
