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
  type ResponseOf,
  type IdentityState,
  type RegisteredAccount,
  concludeIdentityCheck,
} from '@alpenglow/domain';
import { decideIdentityCheck, requestIdentityCheck, requireCanRequestIdentityCheck } from '@alpenglow/domain/deciders';
import {
  getCloseSignal,
  createSealedBlobs,
  createSlots,
  type Slots,
  normalizeIdentityPicture,
  createOperationRouter,
  endTurn,
  getInput,
  getPath,
  onClose,
  setPosition,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin, createOrigin } from '../origin.ts';
import { createNetworkSlots } from '../uploads/network-slots.ts';
import { PROGRESS_LIMITS, requireProgress } from '../uploads/require-progress.ts';
import { requireSpace } from '../uploads/require-space.ts';
import { detectType } from '../uploads/upload-storage.ts';
import { runFollowUp } from '../follow-up.ts';

/** Limits the number of uploads for identity checks whose pictures are encoded again at the same time. */
const ENCODING_SLOTS = { max: 2, maxWaiting: 16, wait_ms: 30_000 };
/**
 * Limits the number of uploads for identity checks that are received at the same time or wait for an encoding slot. It
 * is higher than the number of encoding slots, so that slow clients do not block others. Each upload holds its pictures
 * in memory, which are up to 20 MB.
 */
const RECEPTION_SLOTS = { max: 6, maxWaiting: 16, wait_ms: 10_000 };
const MAX_UPLOADS_PER_NETWORK = 3;
/** The time in which the pictures of an upload must arrive. 20 MB then need a connection of 1 Mbit/s. */
const RECEIVE_LIMITS = { receive_ms: 3 * 60_000 };
const RETRY_AFTER_s = 5;

/**
 * Returns the caller's last request for an identity check, or null. If the request was made by a previous account with
 * the same e-mail address, it is ignored, because it may belong to another person. An accepted request is ignored after
 * a new age has ended the verification.
 */
function createView(state: IdentityState, caller: RegisteredAccount): ResponseOf<'getIdentityCheck'>['data'] {
  // A verification is recorded before the pictures are destroyed. If it is missing after that, it has ended.
  const hasEnded = state?.status === 'accepted' && state.isDestroyed && !caller.verifiedByAdmin;
  return state && isRequestOfOwner(state, caller) && !hasEnded
    ? { status: state.status, requestedAt: state.requestedAt, decidedAt: state.decidedAt, reason: state.reason }
    : null;
}

/**
 * `/account/identity`: a provider uploads pictures that prove their identity, and reads the result of the
 * check.
 */
export function identityRoutes(
  {
    commands,
    authentication,
    blobs,
    dataKeys,
    decoder,
  }: Dependencies<'commands' | 'authentication' | 'blobs' | 'dataKeys' | 'decoder' | 'log'>,
  { receive_ms } = RECEIVE_LIMITS,
) {
  const router = createOperationRouter();
  const receptionSlots = createSlots(RECEPTION_SLOTS);
  const encodingSlots = createSlots(ENCODING_SLOTS);
  const networkSlots = createNetworkSlots(MAX_UPLOADS_PER_NETWORK);
  /** The accounts whose uploads are in progress. One account cannot occupy several slots. */
  const uploading = new Set<string>();
  const sealed = createSealedBlobs({ blobs, dataKeys });

  router.on('getIdentityCheck', async (req, res) => {
    const { account: caller } = await authentication.require(req);
    const { state } = await commands.load(identity, caller.accountId);
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data: createView(state, caller) });
  });

  router.on('requestIdentityCheck', async (req, res) => {
    const { account: caller } = await authentication.require(req);
    const { accountId } = caller;
    requireCanRequestIdentityCheck(caller, (await commands.load(identity, accountId)).state);
    if (uploading.has(accountId)) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
    const networkSlot = networkSlots.take(req.ip);
    if (!networkSlot) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
    uploading.add(accountId);
    endTurn(res);
    try {
      const closed = getCloseSignal(res);
      await withSlot(receptionSlots, closed, async () => {
        await requireSpace(blobs, IDENTITY_FILES_MAX * IDENTITY_FILE_MAX_bytes);
        const files = await receivePictures(req, res, receive_ms);
        await withSlot(encodingSlots, closed, () => handleUpload(files, caller, res, closed));
      });
    } finally {
      uploading.delete(accountId);
      networkSlot.release();
    }
  });

  async function handleUpload(
    files: readonly Buffer[],
    caller: RegisteredAccount,
    res: Response,
    closed: AbortSignal,
  ): Promise<void> {
    const { accountId } = caller;
    const checkId = randomUUID();
    const hashes: string[] = [];
    try {
      for (const [index, bytes] of files.entries()) {
        const { jpeg, hash } = await normalizeIdentityPicture(decoder, bytes, closed);
        await sealed.put(identityBlobKey(checkId, index + 1), accountId, jpeg);
        hashes.push(hash);
      }
      const handled = await commands.execute(
        identity,
        accountId,
        requestIdentityCheck,
        { checkId, files: files.length, hashes, provider: caller },
        createAccountOrigin(accountId, res),
      );
      setPosition(res, handled);
      res
        .status(201)
        .setHeader('Cache-Control', 'no-store')
        .json({ success: true, data: createView(handled.state, caller) });
    } catch (error) {
      // The request may have been stored despite the error, which is checked here. The pictures of a stored request are
      // evidence, so they are not removed.
      const isRecorded = await commands.load(identity, accountId).then(
        ({ state }) => state?.checkId === checkId,
        () => true,
      );
      if (!isRecorded) await blobs.remove(identityBlobPrefix(checkId));
      throw error;
    }
  }
  return router;
}

/** Calls `work` in a slot. Throws UPLOADS_BUSY if no slot becomes free in time. */
async function withSlot(slots: Slots, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const slot = await slots.take(signal);
  if (!slot) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
  await work().finally(() => slot.release());
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
    const { id: accountId } = getPath(req);
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
    res.json({ success: true, message: accept ? 'User verified' : 'Request refused' });
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
 * Returns the one or two pictures of a multipart request. Throws NO_PHOTO, NOT_AN_IMAGE, IDENTITY_FILE_TOO_LARGE or
 * TOO_MANY_IDENTITY_FILES. Throws UPLOAD_BROKEN_OFF if the pictures arrive too slowly, or are incomplete after
 * `receive_ms`.
 */
async function receivePictures(req: Request, res: Response, receive_ms: number): Promise<readonly Buffer[]> {
  await new Promise<void>((resolve, reject) => {
    const breakOff = () => {
      endChecks();
      // The rest of the body is not read, so the connection cannot be used again.
      res.setHeader('Connection', 'close');
      reject(new DomainError('UPLOAD_BROKEN_OFF'));
    };
    const timer = setTimeout(breakOff, receive_ms);
    const endProgressChecks = requireProgress(req, PROGRESS_LIMITS, breakOff);
    const endChecks = () => {
      clearTimeout(timer);
      endProgressChecks();
    };
    onClose(res, endChecks);
    parse(req, res, (error: unknown) => {
      endChecks();
      if (error === undefined) resolve();
      else reject(toDomainError(error));
    });
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
