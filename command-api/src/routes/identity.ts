import { randomUUID } from 'node:crypto';
import {
  account,
  decideIdentityCheck,
  DomainError,
  identity,
  IDENTITY_FILE_MAX_bytes,
  IDENTITY_FILES_MAX,
  identityBlob,
  identityBlobs,
  identityDecisionFields,
  isRequestOf,
  requestIdentityCheck,
  requireIdentityRequest,
  type BlobStore,
  type DoneAnswer,
  type IdentityAnswer,
  type IdentityState,
  type RegisteredAccount,
} from '@alpenglow/domain';
import {
  closingOf,
  concludeIdentityCheck,
  createSealedBlobs,
  createSlots,
  identityPicture,
  jsonBody,
  parseInput,
  setPosition,
  type Authentication,
  type CommandHandler,
  type DataKeys,
  type Logger,
} from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import multer, { MulterError } from 'multer';
import { bodyOf } from '../ad-input.ts';
import { afterwards } from '../afterwards.ts';
import { originOf } from './auth/answers.ts';
import { staffOrigin, userIdOf } from './staff-requests.ts';

export interface IdentityRouteDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
  readonly log: Logger;
}

/** Each holds its pictures in memory while they are made anew. */
const SLOTS = { max: 2, maxWaiting: 8, wait_ms: 10_000 };
const RETRY_AFTER_s = 5;

/** What somebody is told of their last request; one of whoever had the address before is none of theirs. */
function viewOf(state: IdentityState, asker: RegisteredAccount): IdentityAnswer['data'] {
  return state && isRequestOf(state, asker)
    ? { status: state.status, requestedAt: state.requestedAt, decidedAt: state.decidedAt, reason: state.reason }
    : null;
}

/** `/account/identity`: a provider hands in pictures that show who they are, and sees what became of it. */
export function identityRoutes({ commands, authentication, blobs, dataKeys }: IdentityRouteDependencies): Router {
  const router = Router();
  const slots = createSlots(SLOTS);
  const sealed = createSealedBlobs({ blobs, dataKeys });

  router.get('/identity', async (req, res) => {
    const { account: asker } = await authentication.require(req);
    const { state } = await commands.load(identity, asker.accountId);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: viewOf(state, asker) } satisfies IdentityAnswer);
  });

  router.post('/identity', async (req, res) => {
    const { account: asker } = await authentication.require(req);
    const { accountId } = asker;
    requireIdentityRequest(asker, (await commands.load(identity, accountId)).state);
    const slot = await slots.take(closingOf(res));
    if (!slot) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
    const checkId = randomUUID();
    try {
      const files = await receive(req, res);
      for (const [index, bytes] of files.entries())
        await sealed.put(identityBlob(checkId, index + 1), accountId, await identityPicture(bytes));
      const handled = await commands.handle(
        identity,
        accountId,
        (state) => requestIdentityCheck({ checkId, files: files.length }, asker, state),
        originOf(accountId, res),
      );
      setPosition(res, handled);
      res
        .status(201)
        .setHeader('Cache-Control', 'no-store')
        .json({ success: true, data: viewOf(handled.state, asker) } satisfies IdentityAnswer);
    } catch (error) {
      // Unless it was recorded after all: then the pictures are its evidence.
      const recorded = await commands.load(identity, accountId).then(
        ({ state }) => state?.checkId === checkId,
        () => true,
      );
      if (!recorded) await blobs.remove(identityBlobs(checkId));
      throw error;
    } finally {
      slot.release();
    }
  });
  return router;
}

/** `POST /admin/identity/:id/decide`. The evidence goes with the decision, unless a legal hold keeps it. */
export function identityDecisionRoutes({ commands, authentication, blobs, log }: IdentityRouteDependencies): Router {
  const router = Router();
  router.post('/identity/:id/decide', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const accountId = userIdOf(req);
    if (accountId === admin.account.accountId) throw new DomainError('OWN_IDENTITY');
    const { accept, reason } = parseInput(identityDecisionFields, bodyOf(req));
    const origin = staffOrigin(admin, res);
    const { state: owner } = await commands.load(account, accountId);
    const decided = await commands.handle(
      identity,
      accountId,
      (state) => decideIdentityCheck({ accountId, isAccepted: accept, reason }, owner, state),
      origin,
    );
    // If this fails, the hourly sweep of the workers finishes it.
    const position = await afterwards(log, 'conclude an identity check', () =>
      concludeIdentityCheck({ commands, blobs }, accountId, origin),
    );
    setPosition(res, { position: position ?? decided.position });
    res.json({ success: true, message: accept ? 'User verified' : 'Request refused' } satisfies DoneAnswer);
  });
  return router;
}

const parse = multer({
  storage: multer.memoryStorage(),
  limits: {
    files: IDENTITY_FILES_MAX,
    fileSize: IDENTITY_FILE_MAX_bytes,
    fields: 5,
    fieldSize: 1_000,
    headerPairs: 50,
  },
}).array('files', IDENTITY_FILES_MAX);

/** The pictures of a multipart request, 1 or 2. Throws NO_PHOTO, IDENTITY_FILE_TOO_LARGE, TOO_MANY_IDENTITY_FILES, UPLOAD_BROKEN_OFF. */
async function receive(req: Request, res: Response): Promise<readonly Buffer[]> {
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error: unknown) => (error === undefined ? resolve() : reject(refusalOf(error))));
  });
  const files = (req.files ?? []) as unknown as readonly { readonly buffer: Buffer }[];
  if (files.length === 0) throw new DomainError('NO_PHOTO');
  return files.map(({ buffer }) => buffer);
}

function refusalOf(error: unknown): Error {
  if (!(error instanceof MulterError)) return new DomainError('UPLOAD_BROKEN_OFF');
  if (error.code === 'LIMIT_FILE_SIZE') return new DomainError('IDENTITY_FILE_TOO_LARGE');
  return new DomainError(
    error.code === 'LIMIT_FILE_COUNT' || error.code === 'LIMIT_UNEXPECTED_FILE'
      ? 'TOO_MANY_IDENTITY_FILES'
      : 'INVALID_REQUEST',
  );
}
