import type { BlobStore, JobInspector, LiveFeed } from '@alpenglow/domain';
import type {
  Core,
  Counters,
  DataKeys,
  FrontEndMetrics,
  Inbox,
  Logger,
  ReadModelProgress,
  ReadPool,
} from '@alpenglow/infra';

type FromCore =
  | 'pool'
  | 'store'
  | 'sealedStore'
  | 'commands'
  | 'staffReads'
  | 'auditLog'
  | 'authentication'
  | 'sessions'
  | 'statementTokens'
  | 'removalTokens'
  | 'contactTokens'
  | 'mediaAccessTokens'
  | 'positionTokens'
  | 'createAccountId'
  | 'createVerificationCode'
  | 'hashKey';

export interface QueryApiDependencies extends Pick<Core, FromCore> {
  /**
   * Runs the statements of reads whose response is the same for all visitors. Read replicas may run them. The primary
   * server runs all other statements, e.g. of sessions, own items, permissions, exports and audits.
   */
  readonly reads: ReadPool;
  readonly blobs: BlobStore;
  /** Reads the job queues. */
  readonly inspector: JobInspector;
  /** Source of the messages that the live channel sends to browsers. */
  readonly feed: LiveFeed;
  readonly progress: ReadModelProgress;
  /** The keys that decrypt the pictures that providers uploaded for identity checks. */
  readonly dataKeys: DataKeys;
  readonly adminEmail: string | null;
  /** Ids of the ads that the configuration hides from all lists for visitors. */
  readonly hiddenAdIds: readonly string[];
  /** True if responses for admins contain verification codes. */
  readonly exposeCodes: boolean;
  /** The counters for rate limits. Null if requests are not limited. */
  readonly counters: Counters | null;
  /** The folder of the deployed remotes. Its registry names the front ends whose reports are counted separately. */
  readonly mfDir: string;
  /** Counts the errors and speeds of front ends that browsers report. */
  readonly frontEndMetrics: FrontEndMetrics;
  /** Counters that all processes share. They also exist if requests are not limited. */
  readonly sharedCounters: Counters;
  readonly version: string;
  /** The demo inbox, which shows mails in the browser. Null if mails are sent to a mail server. */
  readonly inbox: Inbox | null;
  /** The public origin of the site. Null if unknown. */
  readonly siteUrl: string | null;
  /** The time for which the operator stores backups, in days. */
  readonly backupRetention_days: number;
  readonly log: Logger;
  /** Number of proxies in front of this process that set `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** True if the number of live channel connections of one network address is limited. */
  readonly rateLimits: boolean;
}

/** The subset of the dependencies that one part of this service needs. */
export type Dependencies<Name extends keyof QueryApiDependencies> = Pick<QueryApiDependencies, Name>;
