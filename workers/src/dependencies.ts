import type { BlobStore, EventStore, KnownImageChecker, AdDirectory } from '@alpenglow/domain';
import type {
  Core,
  Decoder,
  EvidenceDirectory,
  FollowDirectory,
  ImageHashList,
  JobBackend,
  Logger,
  MailServices,
  MediaDirectory,
  PictureChecks,
  PictureCopies,
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
  | 'statementTokens'
  | 'hashKey'
  | 'removalTokens'
  | 'removalCopies';

export interface WorkerDependencies extends Pick<Core, FromCore>, Omit<MailServices, 'sweepMails'> {
  readonly backend: JobBackend;
  readonly blobs: BlobStore;
  /** Reads photos and videos in a separate process. */
  readonly decoder: Decoder;
  /** Compares photos with the lists of pictures that must not be published. */
  readonly knownImages: KnownImageChecker;
  /** The operator's list of known illegal images. */
  readonly hashList: ImageHashList;
  readonly copies: PictureCopies;
  readonly pictureChecks: PictureChecks;
  /** Returns true while a process of another build reads other versions of read models (decision 0071). */
  readonly haveOtherReaders: () => Promise<boolean>;
  readonly store: Pick<EventStore, 'readHead' | 'readStream'>;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
  readonly mediaDirectory: MediaDirectory;
  readonly ads: AdDirectory;
  readonly evidence: EvidenceDirectory;
  readonly follows: FollowDirectory;
  /** The mailbox of the operator, which receives the second copies of removal requests. Null if unknown. */
  readonly operatorEmail: string | null;
  /** The base URL of the site for links in mails, without a trailing slash. */
  readonly site: string;
  /** Removes expired data, such as sessions and records of sent mails. Rejects at once if `signal` aborts. */
  readonly sweepExpired: (signal: AbortSignal) => Promise<unknown>;
  readonly log: Logger;
}

/** The subset of the service's dependencies that one part of the service needs. */
export type Dependencies<Name extends keyof WorkerDependencies> = Pick<WorkerDependencies, Name>;
