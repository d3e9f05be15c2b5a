/** Starts the shell's server as a separate process. */
import path from 'node:path';
import { runService } from '@alpenglow/infra';
import { createPageReadsOverHttp } from './data/page-reads-http.ts';
import { createShellServer } from './index.ts';

await runService({
  name: 'shell',
  requires: null,
  async start({ config, rootDir, metrics, log }) {
    const reads = config.queryApiUrls && createPageReadsOverHttp(config.queryApiUrls);
    const handler = createShellServer({
      mfDir: path.resolve(rootDir, config.mfDir),
      distDir: path.join(rootDir, 'shell/dist'),
      siteUrl: config.siteUrl,
      reads,
      metrics,
      isDemo: config.isDemo,
      log,
    });
    return { handler, isReady: () => Promise.resolve(true) };
  },
});
