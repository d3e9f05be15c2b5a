/** Starts the shell's server as a separate process. */
import path from 'node:path';
import { getSandbox, runService } from '@alpenglow/infra';
import { createPageReadsOverHttp } from './data/page-reads-http.ts';
import { createShellServer, loadLocalRemotes, sendBusyPage } from './index.ts';

await runService({
  name: 'shell',
  requires: null,
  hasFairQueue: true,
  async start({ config, rootDir, metrics, log }) {
    const reads = config.queryApiUrls && createPageReadsOverHttp(config.queryApiUrls);
    const handler = createShellServer({
      mfDir: path.resolve(rootDir, config.mfDir),
      frontEndTrust: config.frontEndTrust,
      distDir: path.join(rootDir, 'shell/dist'),
      siteUrl: config.siteUrl,
      reads,
      metrics,
      isDemo: config.isDemo,
      localRemotes: config.localRemotes ? await loadLocalRemotes() : null,
      log,
      findSandbox: getSandbox,
    });
    return { handler, handleError: sendBusyPage, isReady: () => Promise.resolve(true) };
  },
});
