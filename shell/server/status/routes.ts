import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DomainError } from '@alpenglow/domain/contracts';
import { counter, networkOf, type Metrics } from '@alpenglow/infra';
import {
  CONTRACT_VERSION,
  REMOTE_NAMES,
  type Registry,
  type RegistryEntry,
  type RemoteName,
} from '@alpenglow/ui/contract';
import { Router, text, type Request } from 'express';
import type { ShellBuild } from '../shell-build.ts';
import { createLoadErrors, parseLoadError } from './load-errors.ts';

export interface StatusOptions {
  readonly build: ShellBuild;
  readonly registry: () => Promise<Registry>;
  readonly mfDir: string;
  /** Null: nobody scrapes this process. */
  readonly metrics: Metrics | null;
}

const MAX_REPORT = '1kb';
/** A page whose remotes all fail, and are tried again, says less. */
const REPORTS_PER_MINUTE = 120;
const MOST_ADDRESSES = 10_000;
const MINUTE_ms = 60_000;

/**
 * How the front ends fare, for those who build them (issue of the front end, `/status/front-ends`): what is live, what was, and what failed
 * to load in browsers since this process started. To be mounted at `/status`.
 */
export function statusRoutes({ build, registry, mfDir, metrics }: StatusOptions): Router {
  const since = new Date().toISOString();
  const increment = metrics
    ? counter(metrics, 'front_end_load_errors_total', 'Failures of remotes that browsers have reported', [
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

  // A beacon says that it is text.
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

/** The deployments kept of a remote, the latest first (shell/build/registry.mjs); none where there is no record. */
async function deploymentsOf(
  mfDir: string,
  name: RemoteName,
): Promise<readonly Pick<RegistryEntry, 'hash' | 'deployedAt'>[]> {
  try {
    // This project's own deploy wrote it, whole or not at all.
    const history = JSON.parse(
      await readFile(path.join(mfDir, name, 'history.json'), 'utf8'),
    ) as readonly RegistryEntry[];
    return history.map(({ hash, deployedAt }) => ({ hash, deployedAt })).reverse();
  } catch {
    return [];
  }
}

/** Refuses with RATE_LIMITED what one network reports too often; all are counted in one window, so that there is nothing to clean up but the whole. */
function createReportLimit(): (req: Request) => void {
  const counts = new Map<string, number>();
  let ends_ms = 0;
  return ({ ip }) => {
    const now_ms = Date.now();
    if (now_ms >= ends_ms) {
      counts.clear();
      ends_ms = now_ms + MINUTE_ms;
    }
    const network = networkOf(ip);
    const reports = (counts.get(network) ?? 0) + 1;
    if (counts.size < MOST_ADDRESSES || counts.has(network)) counts.set(network, reports);
    const seconds = Math.max(1, Math.ceil((ends_ms - now_ms) / 1000));
    if (reports > REPORTS_PER_MINUTE) throw new DomainError('RATE_LIMITED', { seconds }, seconds);
  };
}
