import * as z from 'zod/mini';
import { count, done, said, time } from './common.ts';
import { queueView } from './jobs.ts';

const today = said(count, 'Since midnight, UTC.');

/** The state of the place at one look. */
export const overviewView = z.object({
  at: said(time, 'When this was counted.'),
  users: z.object({ total: count, clients: count, providers: count, newToday: today }),
  ads: z.object({ live: count, hidden: count, newToday: today }),
  reports: z.object({ today, openCases: said(count, 'Cases nobody has decided.'), openAppeals: count }),
  queues: said(z.nullable(z.array(queueView)), 'Null while the queue does not answer.'),
  projections: z.array(
    z.object({ name: z.string(), lag: said(count, 'Events it has not handled, counted up to 1,000.') }),
  ),
  liveClients: said(count, 'Open connections of the live channel, over all processes.'),
  days: said(
    z.array(z.object({ day: said(z.string(), 'YYYY-MM-DD, UTC.'), signUps: count, ads: count })),
    'The last 30 days, the oldest first.',
  ),
});

export const overviewAnswer = z.object({ success: done, data: overviewView });
