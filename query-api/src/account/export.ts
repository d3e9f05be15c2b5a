import {
  account,
  accountHistoryReducer,
  DomainError,
  hasOwner,
  isStandIn,
  toStreamId,
  UnreadableEventError,
  type AccountHistoryState,
} from '@alpenglow/domain';
import {
  createSlots,
  createOperationRouter,
  getCloseSignal,
  getPath,
  getRequestId,
  writeZip,
  type RequestWithPath,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import { recordRead } from '../record-read.ts';
import type { Dependencies } from '../dependencies.ts';
import { readChanges } from '../admin/history/history-reader.ts';
import { createExportFiles, type ExportDependencies, type ExportedPerson } from './export-files.ts';

type ExportRouteDependencies = ExportDependencies & Dependencies<'authentication' | 'log'>;

/**
 * The maximum number of concurrent data exports. It is low, because an export reads a large part of the event log and
 * slows down other requests.
 */
const MAX_EXPORTS = 2;
const MAX_WAITING = 10;
const WAIT_ms = 20_000;

/** Creates the HTTP handlers that send an archive with all data about one person (T-14). */
export function createExports(deps: ExportRouteDependencies) {
  const slots = createSlots({ max: MAX_EXPORTS, maxWaiting: MAX_WAITING, wait_ms: WAIT_ms });

  async function send(person: ExportedPerson, res: Response): Promise<void> {
    const closed = getCloseSignal(res);
    const slot = await slots.take(closed);
    if (!slot) throw new DomainError('UNAVAILABLE');
    try {
      res.set({
        'Content-Type': 'application/zip',
        'Content-Disposition': 'attachment; filename="your-data.zip"',
        'Cache-Control': 'no-store',
      });
      await writeZip(createExportFiles(person, deps, closed), res, closed);
    } catch (error) {
      if (!closed.aborted && !res.headersSent) throw error;
      // The connection is destroyed, so that the client does not mistake the incomplete archive for a complete one.
      if (!closed.aborted) deps.log.warn({ err: error, requestId: getRequestId(res) }, 'export was interrupted');
      res.destroy();
    } finally {
      slot.release();
    }
  }

  /**
   * Returns the data of an account, which may be closed. Returns null if no data about the account is stored, for
   * example after an erasure. Throws `UnreadableEventError` if the data of the account cannot be decrypted.
   */
  async function findPerson(accountId: string): Promise<ExportedPerson | null> {
    let last: AccountHistoryState = accountHistoryReducer.initial;
    let reason: string | undefined;
    for await (const { after, unreadable } of readChanges(deps.store, {
      stream: toStreamId(account, accountId),
      includes: () => true,
      fold: accountHistoryReducer,
    })) {
      last = after;
      reason ??= unreadable;
    }
    const { account: state, closedAt } = last;
    if (!state && reason !== undefined) throw new UnreadableEventError(reason);
    const isErased = state?.email === '';
    return state && !isStandIn(state) && !isErased ? { ...state, closedAt } : null;
  }

  return {
    async own(req: Request, res: Response): Promise<void> {
      const { account: caller } = await deps.authentication.require(req);
      // An unverified address belongs to no person. The export would also show whether the account is a
      // stand-in account.
      if (!hasOwner(caller)) throw new DomainError('VERIFICATION_REQUIRED');
      await send({ ...caller, closedAt: null }, res);
    },
    async ofUser(req: RequestWithPath<{ readonly id: string }>, res: Response): Promise<void> {
      const admin = await deps.authentication.requireAdmin(req);
      const { id: accountId } = getPath(req);
      const person = await findPerson(accountId);
      if (!person) throw new DomainError('USER_NOT_FOUND');
      await recordRead(deps, res, admin, 'exportDataOf', { subjectId: accountId, people: 1, isRepeatedByPage: false });
      await send(person, res);
    },
  };
}

export function exportRoutes(exports: ReturnType<typeof createExports>) {
  return createOperationRouter()
    .on('exportOwnData', (req, res) => exports.own(req, res))
    .on('exportDataOf', (req, res) => exports.ofUser(req, res));
}
