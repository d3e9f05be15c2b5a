import type { BlobStore, EventStore, LiveFeed, PageReads, VerificationCodeOf } from '@alpenglow/domain';
import type { Authentication, CommandHandler, Inbox, Logger, ReadModelProgress } from '@alpenglow/infra';
import { Router } from 'express';
import type { Pool } from '@alpenglow/infra';
import { adminReadRoutes } from './admin/routes.ts';
import { createAdReader } from './ads/ad-reader.ts';
import { createListAnswers } from './ads/list-answers.ts';
import { adReadRoutes } from './ads/routes.ts';
import { createViewCounter } from './ads/view-counter.ts';
import { devInboxRoutes } from './dev-inbox.ts';
import { docsRoutes } from './docs/routes.ts';
import { favoriteReadRoutes } from './favorites/routes.ts';
import { health } from './health.ts';
import { createLiveChannel, type LiveChannel } from './live/live-channel.ts';
import { createPageReads } from './pages/page-reads.ts';
import { syncRoutes } from './sync.ts';
import { photoRoutes } from './uploads/photos.ts';
import { videoRoutes } from './uploads/video.ts';

/** Asked for to see whether ads can be looked up. */
const NO_AD = 'none';
/** Fails where a read model is not there that looking up an ad does not ask. */
const OTHER_READ_MODELS = 'select a.age, f.ad_ids, v.issuance_id from rm.accounts a, rm.favorites f, rm.verification_codes v limit 0';

export interface QueryApiDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  /** What the live channel tells of. */
  readonly feed: LiveFeed;
  readonly progress: ReadModelProgress;
  readonly authentication: Authentication;
  readonly accountIdOf: (email: string) => string;
  readonly codeOf: VerificationCodeOf;
  readonly adminEmail: string | null;
  /** Ads that no visitor finds in a list. */
  readonly hiddenAdIds: readonly string[];
  /** Whether admins are told verification codes. */
  readonly exposeCodes: boolean;
  readonly version: string;
  /** Null where mails really leave. */
  readonly inbox: Inbox | null;
  readonly log: Logger;
}

export interface QueryApi {
  /** The calls that read, to be mounted at `/api`. What is not one of them falls through. */
  readonly api: Router;
  /** What stands beside the API: uploaded pictures and videos, the demo inbox. To be mounted at `/`. */
  readonly site: Router;
  readonly live: LiveChannel;
  /** What the shell's server needs for its pages. */
  readonly pages: PageReads;
  /** Whether the read models this build asks of are there and answer: before its projectors have run, they may not be. */
  readonly isReady: () => Promise<boolean>;
  /** Lets go of everything but the live channel, once requests have been answered. */
  stop(): Promise<void>;
}

export function createQueryApi(deps: QueryApiDependencies): QueryApi {
  const api = Router();
  const views = createViewCounter(deps.pool, deps.log);
  const reader = createAdReader(deps);
  const isReady = async () => (await reader.find(NO_AD, null)) === null && (await deps.pool.query(OTHER_READ_MODELS)).rowCount === 0;
  const lists = createListAnswers({ ...deps, ads: reader });
  const live = createLiveChannel(deps);
  api.get('/health', health(deps.version, isReady));
  api.use('/docs', docsRoutes(deps.version));
  api.use('/ads', adReadRoutes({ ...deps, views, lists, ads: reader }));
  api.use('/favorites', favoriteReadRoutes(deps));
  api.use('/admin', adminReadRoutes(deps));
  api.use('/sync', syncRoutes(deps));
  const uploads = Router();
  uploads.use('/photos', photoRoutes(deps));
  uploads.use('/video', videoRoutes(deps));
  api.use('/uploads', uploads);
  const site = Router();
  site.use('/uploads', uploads);
  if (deps.inbox) site.use(devInboxRoutes(deps.inbox));
  return {
    api,
    site,
    live,
    pages: createPageReads({ ...deps, lists }),
    isReady,
    async stop() {
      lists.stop();
      await views.stop();
    },
  };
}
export { pageReadRoutes } from './pages/routes.ts';
