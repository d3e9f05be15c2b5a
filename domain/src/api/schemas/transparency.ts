import * as z from 'zod/mini';
import { registerView, registerSharedObject } from '../component.ts';
import { OUTCOMES } from '../../moderation/fields.ts';
import { count, booleanFlag, described, subjectKind, registerSuccess } from './common.ts';

/** The transparency report about the moderation in a period (T-12). The report contains no personal data. */

const subject = subjectKind;
const duration = registerSharedObject('DecisionTime', {
  count: described(count, 'Number of decisions made by a person.'),
  halfWithin_s: described(
    z.nullable(z.int()),
    'Half of the decisions took at most this number of seconds. ' +
      'The value is a step of a scale. Null without decisions.',
  ),
});

export const transparencyReport = registerView('TransparencyReport', {
  from: described(z.iso.date(), 'The first day, UTC.'),
  to: described(z.iso.date(), 'The last day.'),
  reports: described(z.array(z.object({ subject, reason: z.string(), count })), 'By reported subject and reason.'),
  decisions: described(
    z.array(
      z.object({
        subject,
        outcome: z.enum(OUTCOMES),
        rule: described(z.string(), 'A house rule.'),
        isAutomated: booleanFlag,
        count,
      }),
    ),
    'By subject and outcome. An automated decision hides content until a moderator decides.',
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

export const transparencyResponse = registerSuccess('TransparencyAnswer', { data: transparencyReport });
