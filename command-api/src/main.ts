/** Runs command-api as a separate process. */
import {
  createAdDirectory,
  createCommunityDirectory,
  createDecisionDirectory,
  createJobInspector,
  createOpenCodes,
  createReplayDirectory,
  createReadModelProgress,
  createRuleTrials,
  openBlobStore,
  openCore,
  openJobs,
  openRequestStorage,
  createRequestGuards,
  runService,
} from '@alpenglow/infra';
import { Router } from 'express';
import { createCommandApi } from './index.ts';

await runService({
  name: 'command-api',
  requires: 'database',
  async start(context) {
    const { config, databaseUrl, log, stopping } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const progress = createReadModelProgress({
      pool: core.pool,
      connectionString: databaseUrl,
      limit_ms: config.waitPosition_ms,
    });
    context.onStop(() => progress.close());
    const inspector = createJobInspector(await openJobs(context));
    context.onStop(() => inspector.close());
    const api = createCommandApi({
      ...core,
      blobs,
      inspector,
      progress,
      ads: createAdDirectory({ ...core, progress }),
      decisions: createDecisionDirectory({ ...core, progress }),
      ruleTrials: createRuleTrials(core),
      community: createCommunityDirectory(core),
      replays: createReplayDirectory(core),
      openCodes: createOpenCodes({ ...core, progress }),
      adminEmail: config.adminEmail,
      staffTwoStep: config.staffTwoStep,
      exposeCodes: config.exposeVerificationCodes,
      uploadWait_ms: config.uploadWait_ms,
      stopping,
      log,
    });
    const guards = createRequestGuards({ ...core, ...(await openRequestStorage(context, core.pool)), log });
    return { handler: Router().use('/api', guards, api), isReady: core.isReady };
  },
});
