/** command-api as a process of its own. */
import { createAdDirectory, openBlobStore, openCore, runService } from '@alpenglow/infra';
import { Router } from 'express';
import { createCommandApi } from './index.ts';

await runService({
  name: 'command-api',
  needs: 'database',
  async start(context) {
    const { config, log, stopping } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const api = createCommandApi({ ...core, blobs, ads: createAdDirectory(core.pool), adminEmail: config.adminEmail, exposeCodes: config.exposeVerificationCodes, stopping, log });
    return { handler: Router().use('/api', api), isReady: core.isReady };
  },
});
