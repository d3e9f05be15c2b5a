import type { BlobStore, DeriveVerificationCode, JobInspector } from '@alpenglow/domain';
import type {
  AdDirectory,
  Authentication,
  CommandHandler,
  CommunityDirectory,
  DataKeys,
  DecisionDirectory,
  Logger,
  OpenCodes,
  Passwords,
  ReadModelProgress,
  RuleTrials,
  ReplayDirectory,
  Sessions,
  StaffReads,
  StatementTokens,
  UnsubscribeTokens,
} from '@alpenglow/infra';

export interface CommandApiDependencies {
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  /** Reads the job queues. */
  readonly inspector: JobInspector;
  /** Waits until a consumer of events has handled all events up to a position in the log. */
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
  readonly sessions: Sessions;
  /** Keys that encrypt the pictures of identity checks. */
  readonly dataKeys: DataKeys;
  readonly authentication: Authentication;
  readonly ads: AdDirectory;
  readonly decisions: DecisionDirectory;
  readonly ruleTrials: RuleTrials;
  readonly staffReads: StaffReads;
  readonly community: CommunityDirectory;
  readonly openCodes: OpenCodes;
  readonly replays: ReplayDirectory;
  readonly createAccountId: (email: string) => string;
  readonly createStandInId: (email: string, password: string) => string;
  readonly passwords: Passwords;
  readonly createVerificationCode: DeriveVerificationCode;
  readonly unsubscribeTokens: UnsubscribeTokens;
  readonly statementTokens: StatementTokens;
  readonly adminEmail: string | null;
  /** True if a staff role has no effect until its owner has set up two-step sign-in. */
  readonly staffTwoStep: boolean;
  /** True if responses contain verification codes. */
  readonly exposeCodes: boolean;
  /** Maximum time that an upload request waits until a worker has checked the files. */
  readonly uploadWait_ms: number;
  /** Aborts when the process receives a stop signal. Uploads then return 202 at once, before the files are checked. */
  readonly stopping?: AbortSignal;
  readonly log: Logger;
}

/** The subset of the dependencies that one part of this service needs. */
export type Dependencies<Name extends keyof CommandApiDependencies> = Pick<CommandApiDependencies, Name>;
