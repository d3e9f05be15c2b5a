/** The workers as a process of its own: photos and mail. */
import { createInbox, createPhotoDirectory, openBlobStore, openCore, openJobs, runService } from '@alpenglow/infra';
import { startWorkers } from './index.ts';
import { seedThroughOutages } from './seed-through-outages.ts';

await runService({
  name: 'workers',
  needs: 'database',
  async start(context) {
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const backend = await openJobs(context);
    const inbox = createInbox(core.pool);
    const sweepExpired = () => Promise.all([core.sessions.sweep(), inbox.sweep()]);
    const workers = startWorkers({ ...core, backend, blobs, photos: createPhotoDirectory(core.pool), mail: inbox, sweepExpired, log: context.log });
    context.onStop(() => workers.stop());
    const stopped = new AbortController();
    context.onStop(async () => stopped.abort());
    void seedThroughOutages({ ...core, blobs }, context.log, stopped.signal);
    return { isReady: core.isReady };
  },
});
