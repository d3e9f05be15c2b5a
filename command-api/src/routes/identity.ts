import { randomUUID } from 'node:crypto';
import {
  account,
  DomainError,
  identity,
  IDENTITY_FILE_MAX_bytes,
  IDENTITY_FILES_MAX,
  identityBlobKey,
  identityBlobPrefix,
  isRequestOfOwner,
  MEDIA_RULES,
  type EmptyResultResponse,
  type IdentityResponse,
  type IdentityState,
  type RegisteredAccount,
} from '@alpenglow/domain';
import { decideIdentityCheck, requestIdentityCheck, requireCanRequestIdentityCheck } from '@alpenglow/domain/deciders';
import {
  createCloseSignal,
  concludeIdentityCheck,
  createSealedBlobs,
  createSlots,
  normalizeIdentityPicture,
  createOperationRouter,
  getInput,
  setPosition,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin, createOrigin } from '../origin.ts';
import { detectType } from '../uploads/upload-storage.ts';
import { parseUserId } from '../path-parameters.ts';
import { runFollowUp } from '../follow-up.ts';

/**
 * Limits the number of concurrent uploads for identity checks. Each upload holds its pictures in memory while they are
 * encoded again.
 */
const SLOTS = { max: 2, maxWaiting: 8, wait_ms: 10_000 };
const RETRY_AFTER_s = 5;

/**
 * Returns the caller's last request for an identity check, or null. If the request was made by a previous account with
 * the same e-mail address, it is ignored, because it may belong to another person.
 */
function createView(state: IdentityState, caller: RegisteredAccount): IdentityResponse['data'] {
  return state && isRequestOfOwner(state, caller)
    ? { status: state.status, requestedAt: state.requestedAt, decidedAt: state.decidedAt, reason: state.reason }
    : null;
}

/**
 * `/account/identity`: a provider uploads pictures that prove their identity, and reads the result of the
 * check.
 */
export function identityRoutes({
  commands,
  authentication,
  blobs,
  dataKeys,
}: Dependencies<'commands' | 'authentication' | 'blobs' | 'dataKeys' | 'log'>) {
  const router = createOperationRouter();
  const slots = createSlots(SLOTS);
  const sealed = createSealedBlobs({ blobs, dataKeys });

  router.on('getIdentityCheck', async (req, res) => {
    const { account: caller } = await authentication.require(req);
    const { state } = await commands.load(identity, caller.accountId);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: createView(state, caller) } satisfies IdentityResponse);
  });

  router.on('requestIdentityCheck', async (req, res) => {
    const { account: caller } = await authentication.require(req);
    const { accountId } = caller;
    requireCanRequestIdentityCheck(caller, (await commands.load(identity, accountId)).state);
    const slot = await slots.take(createCloseSignal(res));
    if (!slot) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
    const checkId = randomUUID();
    try {
      const files = await receivePictures(req, res);
      for (const [index, bytes] of files.entries())
        await sealed.put(identityBlobKey(checkId, index + 1), accountId, await normalizeIdentityPicture(bytes));
      const handled = await commands.execute(
        identity,
        accountId,
        requestIdentityCheck,
        { checkId, files: files.length, provider: caller },
        createAccountOrigin(accountId, res),
      );
      setPosition(res, handled);
      res
        .status(201)
        .setHeader('Cache-Control', 'no-store')
        .json({ success: true, data: createView(handled.state, caller) } satisfies IdentityResponse);
    } catch (error) {
      // The request may have been stored despite the error, which is checked here. The pictures of a stored request are
      // evidence, so they are not removed.
      const isRecorded = await commands.load(identity, accountId).then(
        ({ state }) => state?.checkId === checkId,
        () => true,
      );
      if (!isRecorded) await blobs.remove(identityBlobPrefix(checkId));
      throw error;
    } finally {
      slot.release();
    }
  });
  return router;
}

/**
 * `POST /admin/identity/:id/decide`: decides an identity check and removes its pictures. The pictures of an account
 * under a legal hold are retained.
 */
export function identityDecisionRoutes({
  commands,
  authentication,
  blobs,
  log,
}: Dependencies<'commands' | 'authentication' | 'blobs' | 'dataKeys' | 'log'>) {
  const router = createOperationRouter();
  router.on('decideIdentityCheck', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const accountId = parseUserId(req);
    if (accountId === admin.account.accountId) throw new DomainError('OWN_IDENTITY');
    const { accept, reason } = getInput(req);
    const origin = createOrigin(admin, res);
    const { state: owner } = await commands.load(account, accountId);
    const decided = await commands.execute(
      identity,
      accountId,
      decideIdentityCheck,
      { accountId, isAccepted: accept, reason, owner },
      origin,
    );
    // This step verifies the account if the identity check was accepted, and removes the pictures. If the step fails,
    // an hourly task of the workers repeats it.
    const position = await runFollowUp(log, 'conclude an identity check', () =>
      concludeIdentityCheck({ commands, blobs }, accountId, origin),
    );
    setPosition(res, { position: position ?? decided.position });
    res.json({ success: true, message: accept ? 'User verified' : 'Request refused' } satisfies EmptyResultResponse);
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

/**
 * Returns the one or two pictures of a multipart request. Throws NO_PHOTO, NOT_AN_IMAGE, IDENTITY_FILE_TOO_LARGE,
 * TOO_MANY_IDENTITY_FILES or UPLOAD_BROKEN_OFF.
 */
async function receivePictures(req: Request, res: Response): Promise<readonly Buffer[]> {
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error: unknown) => (error === undefined ? resolve() : reject(toDomainError(error))));
  });
  const files = (req.files ?? []) as unknown as readonly { readonly buffer: Buffer }[];
  if (files.length === 0) throw new DomainError('NO_PHOTO');
  // The first bytes are checked before any decoder reads the file.
  for (const { buffer } of files) await detectType(buffer, MEDIA_RULES.photo);
  return files.map(({ buffer }) => buffer);
}

function toDomainError(error: unknown): Error {
  if (!(error instanceof MulterError)) return new DomainError('UPLOAD_BROKEN_OFF');
  if (error.code === 'LIMIT_FILE_SIZE') return new DomainError('IDENTITY_FILE_TOO_LARGE');
  return new DomainError(
    error.code === 'LIMIT_FILE_COUNT' || error.code === 'LIMIT_UNEXPECTED_FILE'
      ? 'TOO_MANY_IDENTITY_FILES'
      : 'INVALID_REQUEST',
  );
}
