import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DomainError } from '@alpenglow/domain/contracts';
import { registerCounter, toNetworkKey, type Metrics } from '@alpenglow/infra';
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
  /** The metrics in which load failures are counted. Null if this process exposes no metrics. */
  readonly metrics: Metrics | null;
}

const MAX_REPORT = '1kb';
/**
 * Maximum number of error reports per minute and network. One page sends fewer reports, even if all its remotes fail.
 */
const REPORTS_PER_MINUTE = 120;
const MAX_NETWORKS = 10_000;
const MINUTE_ms = 60_000;

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

/**
 * Creates a function that throws RATE_LIMITED if a network sends too many reports. All networks share one time window,
 * so the whole map is cleared when the window ends.
 */
function createReportLimit(): (req: Request) => void {
  const counts = new Map<string, number>();
  let ends_ms = 0;
  return ({ ip }) => {
    const now_ms = Date.now();
    if (now_ms >= ends_ms) {
      counts.clear();
      ends_ms = now_ms + MINUTE_ms;
    }
    const network = toNetworkKey(ip);
    const reports = (counts.get(network) ?? 0) + 1;
    if (counts.size < MAX_NETWORKS || counts.has(network)) counts.set(network, reports);
    const seconds = Math.max(1, Math.ceil((ends_ms - now_ms) / 1000));
    if (reports > REPORTS_PER_MINUTE) throw new DomainError('RATE_LIMITED', { seconds }, seconds);
  };
}
