import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { count, described, timestamp, registerSuccess } from './common.ts';
import { queueView } from './jobs.ts';

const today = described(count, 'Since midnight, UTC.');

/** Key figures of the product for admins, e.g. the numbers of users, ads and open moderation cases. */
export const overviewView = registerView('OverviewView', {
  at: described(timestamp, 'When this was counted.'),
  users: z.object({ total: count, clients: count, providers: count, newToday: today }),
  ads: z.object({ live: count, hidden: count, newToday: today }),
  reports: z.object({ today, openCases: described(count, 'Cases without a decision.'), openAppeals: count }),
  openIdentityChecks: described(count, 'Identity checks that wait for an admin.'),
  waitingRemovals: described(count, 'Removal requests and their appeals that wait for a moderator.'),
  queues: described(z.nullable(z.array(queueView)), 'Null while the queue is unavailable.'),
  projections: z.array(z.object({ name: z.string(), lag: described(count, 'Unhandled events, counted up to 1,000.') })),
  liveClients: described(count, 'Open connections of the live channel in all processes.'),
  days: described(
    z.array(z.object({ day: described(z.string(), 'YYYY-MM-DD, UTC.'), signUps: count, ads: count })),
    'The last 30 days, the oldest first.',
  ),
});

export const overviewResponse = registerSuccess('OverviewAnswer', { data: overviewView });
