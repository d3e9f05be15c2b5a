import type { BlobStore, DeriveVerificationCode, JobInspector, AdDirectory } from '@alpenglow/domain';
import type {
  Authentication,
  Browsers,
  CommandHandler,
  Counters,
  CommunityDirectory,
  DataKeys,
  DecisionDirectory,
  Decoder,
  Logger,
  OpenCodes,
  Passwords,
  Pool,
  ReadModelProgress,
  RemovalTokens,
  RuleTrials,
  ReplayDirectory,
  ReportHistoryStore,
  Sessions,
  StaffReads,
  StatementTokens,
  UnsubscribeTokens,
} from '@alpenglow/infra';

export interface CommandApiDependencies {
  /** Reads the read models that find the content of a link. */
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  /** Reads the queues of background jobs. */
  readonly inspector: JobInspector;
  /** Waits until a consumer of events, e.g. a read model, has handled all events up to a position in the event log. */
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
  readonly sessions: Sessions;
  /** The keys that encrypt the pictures of identity checks. */
  readonly dataKeys: DataKeys;
  /** Reads pictures in a separate process. */
  readonly decoder: Decoder;
  readonly authentication: Authentication;
  readonly ads: AdDirectory;
  readonly decisions: DecisionDirectory;
  readonly reportHistory: ReportHistoryStore;
  /** The counters for rate limits. Null if requests are not limited. */
  readonly counters: Counters | null;
  readonly ruleTrials: RuleTrials;
  readonly staffReads: StaffReads;
  readonly community: CommunityDirectory;
  readonly openCodes: OpenCodes;
  readonly replays: ReplayDirectory;
  readonly createAccountId: (email: string) => string;
  readonly createStandInId: (email: string) => string;
  readonly browsers: Browsers;
  readonly passwords: Passwords;
  /** Returns a keyed hash of a text, so that network addresses can be counted and compared without being stored. */
  readonly hashKey: (text: string) => string;
  readonly createVerificationCode: DeriveVerificationCode;
  readonly unsubscribeTokens: UnsubscribeTokens;
  readonly statementTokens: StatementTokens;
  readonly removalTokens: RemovalTokens;
  readonly adminEmail: string | null;
  /** The public origin of the site. Null if unknown. */
  readonly siteUrl: string | null;
  /** True if the roles of admins and moderators have no effect until their owners have set up two-step sign-in. */
  readonly staffTwoStep: boolean;
  /** True if responses contain verification codes. */
  readonly exposeCodes: boolean;
  /** Maximum time that an upload request waits for a worker to check the uploaded files. */
  readonly uploadWait_ms: number;
  /** The wait of a new account before its first review, if it is not the default. Only tests set it. */
  readonly reviewWait_ms?: number | undefined;
  /**
   * Aborts when the process receives a stop signal. Upload requests then return status 202 at once, before the files
   * are checked.
   */
  readonly stopping?: AbortSignal;
  readonly log: Logger;
}

/** The subset of the service's dependencies that one part of the service needs. */
export type Dependencies<Name extends keyof CommandApiDependencies> = Pick<CommandApiDependencies, Name>;
