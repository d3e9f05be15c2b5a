import { createOperationRouter, getPath, summarizeSubjects, type StaffRead } from '@alpenglow/infra';
import type { Dependencies } from '../../dependencies.ts';
import { recordRead } from '../../record-read.ts';
import { sendUncached } from '../../send-uncached.ts';
import { createRequestReader, type FoundRequest } from './request-reader.ts';

/**
 * The API operation with which admins find a request by its id, which error screens show. The response names
 * the accounts that caused the events and those that they concern, so the read is recorded.
 */
export function requestRoutes(deps: Dependencies<'pool' | 'sealedStore' | 'authentication' | 'staffReads'>) {
  const requests = createRequestReader(deps);
  const router = createOperationRouter();
  router.on('getRequest', async (req, res) => {
    const admin = await deps.authentication.requireAdmin(req);
    const found = await requests.find(getPath(req).id);
    const { request } = found;
    await recordRead(deps, res, admin, 'getRequest', summarizeFound(found));
    sendUncached(res, { success: true, data: request });
  });
  return router;
}

/**
 * Returns the log fields of the read. If the events concern one account, its data export contains the log entry. A
 * request without accounts is someone's request, too, so the entry has its id, which begins with `request:`.
 */
function summarizeFound({ request, ownerIds, actorIds }: FoundRequest): Pick<StaffRead, 'subjectId' | 'people'> {
  const { subjectId, people } = summarizeSubjects([...ownerIds, ...actorIds]);
  if (people > 0) return { subjectId: ownerIds.length === 1 ? (ownerIds[0] ?? null) : subjectId, people };
  const isEmpty = request.events.length === 0 && request.failures.length === 0;
  return isEmpty ? { subjectId: null, people: 0 } : { subjectId: `request:${request.id}`, people: 1 };
}
