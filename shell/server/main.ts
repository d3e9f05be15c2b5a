/** The shell's server as a process of its own. */
import path from 'node:path';
import { runService } from '@alpenglow/infra';
import { createShellServer } from './index.ts';

await runService({
  name: 'shell',
  needs: null,
  async start({ config, rootDir, log }) {
    const handler = createShellServer({ mfDir: path.resolve(rootDir, config.mfDir), distDir: path.join(rootDir, 'shell/dist'), log });
    return { handler, isReady: () => Promise.resolve(true) };
  },
});
