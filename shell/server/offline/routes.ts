import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Router } from 'express';
import type { ShellBuild } from '../shell-build.ts';
import { REVALIDATED } from '../static-files.ts';
import { createOfflinePage, type OfflinePage } from './offline-page.ts';

interface OfflineRoutesOptions {
  /** The build folder of the shell, which contains the sources of the offline page and of the service worker. */
  readonly distDir: string;
  readonly build: Pick<ShellBuild, 'hash'>;
}

interface OfflineFiles {
  readonly worker: string;
  readonly page: OfflinePage;
}

/** Creates the routes of the service worker and of the page that it shows without a connection (decision 0088). */
export function offlineRoutes({ distDir, build }: OfflineRoutesOptions): Router {
  const router = Router();
  let files: OfflineFiles | undefined;
  const getFiles = () => (files ??= createFiles(distDir, build.hash));
  router.get('/service-worker.js', (_req, res) => {
    res.set('Cache-Control', REVALIDATED).type('js').send(getFiles().worker);
  });
  router.get('/offline', (_req, res) => {
    const { html, policy } = getFiles().page;
    res.set({ 'Cache-Control': REVALIDATED, 'Content-Security-Policy': policy }).type('html').send(html);
  });
  return router;
}

function createFiles(distDir: string, hash: string): OfflineFiles {
  const read = (name: string) => readFileSync(path.join(distDir, name), 'utf8');
  const page = createOfflinePage({ style: read('offline.css'), script: read('offline.js') });
  // A changed file changes the worker, and browsers then replace the worker together with the offline page.
  const version = createHash('sha256').update(hash).update(page.html).digest('hex').slice(0, 16);
  return { worker: read('service-worker.js').replaceAll('{version}', version), page };
}
