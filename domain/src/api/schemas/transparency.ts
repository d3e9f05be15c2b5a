import * as z from 'zod/mini';
import { count, done, flag, said } from './common.ts';

/** The transparency report of a period (design, trust and privacy). It names nobody. */

const subject = z.enum(['ad', 'media', 'account', 'thread', 'post', 'article']);
const duration = z.object({
  count: said(count, 'How many a person decided.'),
  halfWithin_s: said(
    z.nullable(z.int()),
    'Half of them took no longer than so many seconds: the step of a scale the median falls into. Null where there were none.',
  ),
});

export const transparencyReport = z.object({
  from: said(z.iso.date(), 'The first day, UTC.'),
  to: said(z.iso.date(), 'The last day.'),
  reports: said(z.array(z.object({ subject, reason: z.string(), count })), 'By what was reported, and why.'),
  decisions: said(
    z.array(
      z.object({
        subject,
        outcome: z.enum(['kept', 'hidden', 'removed', 'account_closed']),
        rule: said(z.string(), 'A rule of the house.'),
        isAutomated: flag,
        count,
      }),
    ),
    'By what became of what was reported or found. Automated ones hide until a moderator decides.',
  ),
  timeToDecision: duration,
  appeals: z.object({
    filed: count,
    decided: z.array(z.object({ outcome: z.enum(['upheld', 'overturned']), count })),
    timeToDecision: duration,
  }),
  erasures: z.object({ asked: z.array(z.object({ by: z.enum(['self', 'admin']), count })), completed: count }),
  identityChecks: z.array(z.object({ outcome: z.enum(['accepted', 'refused']), count })),
});

export const transparencyAnswer = z.object({ success: done, data: transparencyReport });
