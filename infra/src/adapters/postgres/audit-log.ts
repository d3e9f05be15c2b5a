import type { Pool } from 'pg';
import { createAuditChain } from './audit-chain.ts';
import { createAuditEntries } from './audit-entries.ts';
import { createAuditLosses } from './audit-losses.ts';
import { createAuditRoots } from './audit-roots.ts';
import { createAuditSegments } from './audit-segments.ts';

/**
 * Stores the moderation log and the hash chain of all events in the schema `audit`. Only one process at a time writes.
 * Rows are added, but never changed or removed. Only the rows of events that the event log has lost are moved to other
 * tables (decision 0070).
 */
export type AuditLog = ReturnType<typeof createAuditLog>;

/** Creates the access to the audit log. It only combines its parts, which name the tables that they change. */
export function createAuditLog(pool: Pool) {
  return {
    ...createAuditChain(pool),
    ...createAuditRoots(pool),
    ...createAuditEntries(pool),
    ...createAuditLosses(pool),
    ...createAuditSegments(pool),
  };
}
