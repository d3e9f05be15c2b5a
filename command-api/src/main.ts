/** Runs command-api as a separate process. */
import {
  createAdDirectory,
  createCommunityDirectory,
  createDecisionDirectory,
  createReportHistoryStore,
  createJobInspector,
  createOpenCodes,
  createReplayDirectory,
  openReadModelProgress,
  createRuleTrials,
  openBlobStore,
  openCore,
  openDecoder,
  openJobs,
  openRequestStorage,
  createLimitRecorder,
  createRequestGuards,
  findLostReadModels,
  runService,
} from '@alpenglow/infra';
import { Router } from 'express';
import { createCommandApi } from './index.ts';

await runService({
  name: 'command-api',
  requires: 'database',
  hasFairQueue: true,
  async start(context) {
    const { config, log, metrics, stopping } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const progress = openReadModelProgress(context, core.pool);
    await progress.waitUntilLive(await core.store.readHead(), stopping);
    const inspector = createJobInspector(await openJobs(context));
    context.onStop(() => inspector.close());
    const requests = await openRequestStorage(context, core.pool);
    const api = createCommandApi({
      ...core,
      blobs,
      decoder: openDecoder(context),
      inspector,
      progress,
      ads: createAdDirectory({ ...core, progress }),
      decisions: createDecisionDirectory({ ...core, progress }),
      reportHistory: createReportHistoryStore(core.pool),
      counters: requests.counters,
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
    const guards = createRequestGuards({ ...core, ...requests, log, recordLimited: createLimitRecorder(metrics, log) });
    return {
      handler: Router().use('/api', guards, api),
      isReady: core.isReady,
      findNotCurrent: () => findLostReadModels(core.pool),
    };
  },
});
