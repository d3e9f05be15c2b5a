import { createHash, randomUUID } from 'node:crypto';
import {
  account,
  media,
  type MediaEvent,
  type MediaKind,
  type MediaState,
  type StaffRole,
  type DecisionContext,
} from '@alpenglow/domain';
import {
  grantRole,
  recordPhotoVariants,
  recordVideoProbe,
  registerAccount,
  rejectMedia,
  uploadMedia,
} from '@alpenglow/domain/deciders';
import {
  accountIdOf,
  createCommandHandler,
  createDataKeys,
  createPool,
  createPostgresEventStore,
  createSessions,
  hashPassword,
  loadSecrets,
  obtainAccountIdKey,
  withPersonalData,
  type CommandHandler,
  type CommandOrigin,
} from '@alpenglow/infra';
import { PASSWORD, type Person } from './api-client.ts';
import { PASSWORD_COST_IN_TESTS, type TestProduct } from './product.ts';

/**
 * Writes the initial data of a test directly to the event store of a running product. Unlike the API, it can write
 * events with past timestamps, and photos and videos that no worker processes.
 */
export interface Recording {
  readonly commands: CommandHandler;
  /**
   * Records a photo or video of an account, together with the result of its processing. Returns its id. By default, no
   * two photos have similar hashes.
   */
  media(ownerId: string, kind: MediaKind, verdict?: 'ready' | 'rejected', hash?: string): Promise<string>;
  /**
   * Records an account that signed up `age_ms` ago, and opens a session for it. By default, the account is verified.
   */
  member(options?: MemberOptions): Promise<Person>;
  close(): Promise<void>;
}

interface MemberOptions {
  readonly age_ms?: number;
  readonly userType?: 'client' | 'provider';
  readonly email?: string;
  readonly displayName?: string;
  readonly verify?: boolean;
  /** Staff role that the account has in addition to its user type. */
  readonly role?: StaffRole;
}

const YEAR_ms = 365 * 24 * 60 * 60_000;

/** Metadata for the commands that a test executes: who executes them, and the correlation id. */
export const TEST_ORIGIN: CommandOrigin = { actor: { kind: 'system', name: 'test' }, correlationId: 'test' };

export async function openRecording({
  databaseUrl,
  dataDir,
}: Pick<TestProduct, 'databaseUrl' | 'dataDir'>): Promise<Recording> {
  const pool = createPool({ connectionString: databaseUrl, max: 2, applicationName: 'test' });
  const { accountIds, dataKeys } = await loadSecrets(dataDir);
  const accountIdKey = await obtainAccountIdKey(pool, accountIds);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  const commands = createCommandHandler(store);
  const sessions = createSessions(pool);
  /** Hash of the password of all accounts. It is shared, because hashing is slow. */
  let passwordHash: Promise<string> | null = null;
  return {
    commands,
    async media(ownerId, kind, verdict = 'ready', chosenHash) {
      const mediaId = randomUUID();
      const hash = chosenHash ?? createHash('sha256').update(mediaId).digest('hex');
      await commands.handle(
        media,
        mediaId,
        (state, context) => uploadAndVerdict({ mediaId, ownerId, kind }, verdict, hash, state, context),
        TEST_ORIGIN,
      );
      return mediaId;
    },
    async member({
      age_ms = YEAR_ms,
      userType = 'client',
      email = `${randomUUID()}@example.com`,
      displayName = 'Test',
      verify = true,
      role,
    } = {}) {
      const accountId = accountIdOf(accountIdKey, email);
      const registration = {
        accountId,
        email,
        passwordHash: await (passwordHash ??= hashPassword(PASSWORD, PASSWORD_COST_IN_TESTS)),
        userType,
        displayName,
        age: 30,
        isDemo: verify,
      };
      const now = new Date(Date.now() - age_ms).toISOString();
      await commands.execute(account, accountId, registerAccount, registration, TEST_ORIGIN, { now });
      if (role) await commands.execute(account, accountId, grantRole, { role, reason: 'Helps in a test' }, TEST_ORIGIN);
      return {
        email,
        token: await sessions.open({ accountId, passwordVersion: 0, twoStepVersion: 0 }),
        user: { id: accountId },
        verificationCode: '',
      };
    },
    async close() {
      await store.close();
      await pool.end();
    },
  };
}

/**
 * Returns the events of an upload and of its result. They are appended together, so that no worker processes the
 * upload.
 */
function uploadAndVerdict(
  upload: { readonly mediaId: string; readonly ownerId: string; readonly kind: MediaKind },
  verdict: 'ready' | 'rejected',
  hash: string,
  state: MediaState,
  context: DecisionContext,
): readonly MediaEvent[] {
  const isPhoto = upload.kind === 'photo';
  const uploaded = uploadMedia(
    { ...upload, sizeBytes: 1, contentType: isPhoto ? 'image/jpeg' : 'video/mp4' },
    state,
    context,
  );
  const processing = uploaded.reduce<MediaState>((folded, event) => media.evolve(folded, event, ''), state);
  if (verdict === 'rejected')
    return [...uploaded, ...rejectMedia({ code: isPhoto ? 'NOT_AN_IMAGE' : 'NOT_A_VIDEO' }, processing, context)];
  const ready = isPhoto
    ? recordPhotoVariants({ width: 1600, height: 900, blur: 'data:', hash, variants: [] }, processing, context)
    : recordVideoProbe(
        { duration_s: 12, width: 1280, height: 720, codec: 'h264', sizeBytes: 1, shortened_s: 0 },
        processing,
        context,
      );
  return [...uploaded, ...ready];
}
