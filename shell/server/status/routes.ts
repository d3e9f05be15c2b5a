import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DomainError } from '@alpenglow/domain/contracts';
import { registerCounter, type Metrics } from '@alpenglow/infra';
import {
  CONTRACT_VERSION,
  REMOTE_NAMES,
  type Registry,
  type RegistryEntry,
  type RemoteName,
} from '@alpenglow/ui/contract';
import { Router, text } from 'express';
import type { ShellBuild } from '../shell-build.ts';
import { createLoadErrors, parseLoadError } from './load-errors.ts';
import { createReportLimit } from './report-limit.ts';

export interface StatusOptions {
  readonly build: ShellBuild;
  readonly registry: () => Promise<Registry>;
  readonly mfDir: string;
  /** The metrics in which load failures are counted. Null if this process exposes no metrics. */
  readonly metrics: Metrics | null;
}

const MAX_REPORT = '1kb';
/**
 * Creates the routes below `/status`, which show developers the status of the front ends. The status consists of live
 * deployments, earlier deployments, and load failures in browsers since this process started.
 */
export function statusRoutes({ build, registry, mfDir, metrics }: StatusOptions): Router {
  const since = new Date().toISOString();
  const increment = metrics
    ? registerCounter(metrics, 'front_end_load_errors_total', 'Failures of remotes that browsers have reported', [
        'remote',
        'kind',
      ])
    : () => undefined;
  const errors = createLoadErrors(({ remote, kind }) => increment({ remote, kind }));
  const countReport = createReportLimit();
  const router = Router();

  router.get('/front-ends.json', async (_req, res) => {
    const { remotes } = await registry();
    const shell = { hash: build.hash, sizeBytes: build.sizeBytes, contractVersion: CONTRACT_VERSION };
    const described = await Promise.all(
      REMOTE_NAMES.map(async (name) => ({
        ...describe(name, remotes[name]),
        deployments: await deploymentsOf(mfDir, name),
        ...errors.of(name),
      })),
    );
    res.set('Cache-Control', 'no-store').json({ success: true, data: { shell, since, remotes: described } });
  });

  // Parses the body as text for every content type. `parseLoadError` validates the JSON.
  router.post('/front-ends/errors', text({ type: () => true, limit: MAX_REPORT }), (req, res) => {
    countReport(req);
    const site = req.headers['sec-fetch-site'];
    const report = site === undefined || site === 'same-origin' ? parseLoadError(String(req.body)) : null;
    if (!report) throw new DomainError('INVALID_REQUEST');
    errors.count(report);
    res.status(204).set('Cache-Control', 'no-store').end();
  });
  return router;
}

function describe(name: RemoteName, entry: RegistryEntry | undefined) {
  const { hash = null, contractVersion = null, sizeBytes = null, deployedAt = null } = entry ?? {};
  return { name, hash, contractVersion, fits: contractVersion === CONTRACT_VERSION, sizeBytes, deployedAt };
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
