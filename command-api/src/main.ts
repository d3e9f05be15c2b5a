/** command-api as a process of its own. */
import { createAdDirectory, createOpenCodes, createReadModelProgress, openBlobStore, openCore, openRequestMemory, requestGuards, runService } from '@alpenglow/infra';
import { Router } from 'express';
import { createCommandApi } from './index.ts';

await runService({
  name: 'command-api',
  needs: 'database',
  async start(context) {
    const { config, databaseUrl, log, stopping } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const progress = createReadModelProgress({ pool: core.pool, connectionString: databaseUrl });
    context.onStop(() => progress.close());
    const api = createCommandApi({ ...core, blobs, ads: createAdDirectory({ ...core, progress }), openCodes: createOpenCodes({ ...core, progress }), adminEmail: config.adminEmail, exposeCodes: config.exposeVerificationCodes, stopping, log });
    const guards = requestGuards({ ...core, ...(await openRequestMemory(context, core.pool)), log });
    return { handler: Router().use('/api', guards, api), isReady: core.isReady };
  },
});
