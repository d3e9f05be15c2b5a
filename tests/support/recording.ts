import { randomUUID } from 'node:crypto';
import {
  account,
  grantRole,
  media,
  recordPhotoVariants,
  recordVideoProbe,
  registerAccount,
  rejectMedia,
  uploadMedia,
  type MediaEvent,
  type MediaKind,
  type MediaState,
  type StaffRole,
} from '@alpenglow/domain';
import {
  accountIdOf,
  createCommandHandler,
  createDataKeys,
  createPool,
  createPostgresEventStore,
  createSessions,
  hashPassword,
  loadSecrets,
  withPersonalData,
  type CommandHandler,
  type CommandOrigin,
} from '@alpenglow/infra';
import { PASSWORD, type Person } from './api-client.ts';
import type { TestProduct } from './product.ts';

/** Records what a test finds already there, beside a product that runs: things of another time, or files without the work they take. */
export interface Recording {
  readonly commands: CommandHandler;
  /** A photo or video of an account that has its verdict; answers its id. */
  media(ownerId: string, kind: MediaKind, verdict?: 'ready' | 'rejected', hash?: string): Promise<string>;
  /** Somebody who has signed up so long ago, verified unless said otherwise, and is signed in. */
  member(options?: MemberOptions): Promise<Person>;
  close(): Promise<void>;
}

export interface MemberOptions {
  readonly age_ms?: number;
  readonly userType?: 'client' | 'provider';
  readonly email?: string;
  readonly displayName?: string;
  readonly verify?: boolean;
  /** What they may do beyond their own account. */
  readonly role?: StaffRole;
}

const YEAR_ms = 365 * 24 * 60 * 60_000;

/** Where what a test records comes from. */
export const BY_TEST: CommandOrigin = { actor: { kind: 'system', name: 'test' }, correlationId: 'test' };

export async function openRecording({
  databaseUrl,
  dataDir,
}: Pick<TestProduct, 'databaseUrl' | 'dataDir'>): Promise<Recording> {
  const pool = createPool({ connectionString: databaseUrl, max: 2, applicationName: 'test' });
  const { accountIds, dataKeys } = await loadSecrets(dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  const commands = createCommandHandler(store);
  const sessions = createSessions(pool);
  /** One hash for everybody: it takes a while. */
  let passwordHash: Promise<string> | null = null;
  return {
    commands,
    async media(ownerId, kind, verdict = 'ready', hash = '00ff00ff00ff00ff') {
      const mediaId = randomUUID();
      await commands.handle(
        media,
        mediaId,
        (state) => uploadAndVerdict({ mediaId, ownerId, kind }, verdict, hash, state),
        BY_TEST,
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
      const accountId = accountIdOf(accountIds, email);
      const registration = {
        accountId,
        email,
        passwordHash: await (passwordHash ??= hashPassword(PASSWORD)),
        userType,
        displayName,
        age: 30,
        isDemo: verify,
      };
      const now = new Date(Date.now() - age_ms).toISOString();
      await commands.handle(
        account,
        accountId,
        (state, context) => registerAccount(registration, state, context),
        BY_TEST,
        { now },
      );
      if (role)
        await commands.handle(
          account,
          accountId,
          (state) => grantRole({ role, reason: 'Helps in a test' }, state),
          BY_TEST,
        );
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

/** Both at once, so that no worker comes between. */
function uploadAndVerdict(
  upload: { readonly mediaId: string; readonly ownerId: string; readonly kind: MediaKind },
  verdict: 'ready' | 'rejected',
  hash: string,
  state: MediaState,
): readonly MediaEvent[] {
  const isPhoto = upload.kind === 'photo';
  const uploaded = uploadMedia({ ...upload, sizeBytes: 1, contentType: isPhoto ? 'image/jpeg' : 'video/mp4' }, state);
  const processing = uploaded.reduce<MediaState>((folded, event) => media.evolve(folded, event, ''), state);
  if (verdict === 'rejected')
    return [...uploaded, ...rejectMedia({ code: isPhoto ? 'NOT_AN_IMAGE' : 'NOT_A_VIDEO' }, processing)];
  const ready = isPhoto
    ? recordPhotoVariants({ width: 1600, height: 900, blur: 'data:', hash, variants: [] }, processing)
    : recordVideoProbe({ duration_s: 12, width: 1280, height: 720, codec: 'h264', sizeBytes: 1 }, processing);
  return [...uploaded, ...ready];
}
