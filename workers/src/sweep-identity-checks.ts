import { concludeIdentityCheck } from '@alpenglow/domain';
import {
  ACCOUNTS,
  findAccountOfSealedBlob,
  IDENTITY_CHECKS,
  SYSTEM_CORRELATION_IDS,
  type CommandOrigin,
  type Pool,
} from '@alpenglow/infra';
import { attemptEach, attemptParts } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';
import { isHeld } from './seal-media.ts';

/** The age after which the upload of an identity picture counts as interrupted if no event mentions its file. */
const ORPHAN_AGE_ms = 60 * 60_000;
const PAGE = 100;
const TASK = 'sweep-identity-checks';
const BY_SYSTEM: CommandOrigin = {
  actor: { kind: 'system', name: 'identity checks' },
  correlationId: SYSTEM_CORRELATION_IDS.identityRound,
};

type ListedBlob = { readonly key: string; readonly modifiedAt_ms: number };
type SweepDependencies = Dependencies<'pool' | 'commands' | 'blobs' | 'log'>;

/**
 * Concludes interrupted identity checks, destroys the identity pictures of closed accounts, and removes files of
 * interrupted uploads. While an account is under a legal hold, its files are not removed. A check or a file that fails
 * does not stop the others. The promise then rejects with `ItemsFailed` at the end. Rejects at once if `signal` aborts.
 */
export async function sweepIdentityChecks(deps: SweepDependencies, signal: AbortSignal): Promise<void> {
  const { blobs, log } = deps;
  await attemptParts(
    {
      checks: () =>
        attemptEach(findUnconcluded(deps.pool), (accountId) => concludeIdentityCheck(deps, accountId, BY_SYSTEM), {
          task: TASK,
          nameOf: (accountId) => accountId,
          log,
          signal,
        }),
      pictures: () =>
        attemptEach(blobs.list('identity/'), (blob) => removeOrphan(deps, blob), {
          task: TASK,
          nameOf: ({ key }) => key,
          log,
          signal,
        }),
    },
    { task: TASK, log, signal },
  );
}

/** Yields the ids of the accounts whose identity check is not concluded. Reads them in pages. */
async function* findUnconcluded(pool: Pool): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { rows } = await pool.query<{ account_id: string }>(
      `select account_id from ${IDENTITY_CHECKS.table} c
        where not is_destroyed and account_id > $1
          and (status <> 'open' or not exists (
                select from ${ACCOUNTS.table} a
                 where a.account_id = c.account_id and a.registered_at <= c.requested_at))
        order by account_id limit $2`,
      [after, PAGE],
    );
    for (const { account_id: accountId } of rows) yield accountId;
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    after = last.account_id;
  }
}

async function removeOrphan(deps: SweepDependencies, { key, modifiedAt_ms }: ListedBlob): Promise<void> {
  const checkId = key.split('/')[1] ?? '';
  if (Date.now() - modifiedAt_ms < ORPHAN_AGE_ms) return;
  const { rowCount } = await deps.pool.query(
    `select from ${IDENTITY_CHECKS.table} where check_id = $1 and not is_destroyed`,
    [checkId],
  );
  if (rowCount !== 0) return;
  // The table contains only the last identity check of each account, so this file may belong to an earlier check. The
  // account of that check may be under a legal hold, which forbids the removal.
  const accountId = await findAccountOfSealedBlob(deps.blobs, key);
  if (accountId === null || !(await isHeld(deps, { ownerId: accountId }))) await deps.blobs.remove(key);
}
