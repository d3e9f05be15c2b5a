import type { BlobStore, EventStore, KnownImageChecker } from '@alpenglow/domain';
import type {
  AdDirectory,
  Core,
  Decoder,
  EvidenceDirectory,
  FollowDirectory,
  JobBackend,
  Logger,
  MailServices,
  MediaDirectory,
  ReadModelProgress,
} from '@alpenglow/infra';

type FromCore =
  | 'pool'
  | 'commands'
  | 'sessions'
  | 'sealedStore'
  | 'dataKeys'
  | 'createAccountId'
  | 'createVerificationCode'
  | 'unsubscribeTokens'
  | 'statementTokens';

export interface WorkerDependencies extends Pick<Core, FromCore>, Omit<MailServices, 'sweepMails'> {
  readonly backend: JobBackend;
  readonly blobs: BlobStore;
  /** Reads photos and videos in a separate process. */
  readonly decoder: Decoder;
  readonly knownImages: KnownImageChecker;
  readonly store: Pick<EventStore, 'readHead' | 'readStream'>;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
  readonly mediaDirectory: MediaDirectory;
  readonly ads: AdDirectory;
  readonly evidence: EvidenceDirectory;
  readonly follows: FollowDirectory;
  /** The base URL of the site for links in mails, without a trailing slash. */
  readonly site: string;
  /** Removes expired data, such as sessions and records of sent mails. Rejects at once if `signal` aborts. */
  readonly sweepExpired: (signal: AbortSignal) => Promise<unknown>;
  readonly log: Logger;
}

/** The subset of the service's dependencies that one part of the service needs. */
export type Dependencies<Name extends keyof WorkerDependencies> = Pick<WorkerDependencies, Name>;
