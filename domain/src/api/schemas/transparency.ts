import * as z from 'zod/mini';
import { registerView, registerSharedObject } from '../component.ts';
import { OUTCOMES } from '../../moderation/fields.ts';
import { REMOVAL_OUTCOMES } from '../../removal/fields.ts';
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
  removals: described(
    z.object({
      requested: count,
      decided: z.array(z.object({ outcome: z.enum(REMOVAL_OUTCOMES), count })),
      timeToRemoval: z.object({
        count: described(count, 'Number of completed removals.'),
        halfWithin_s: described(z.nullable(z.int()), 'Half of the removals took at most this number of seconds.'),
        mostWithin_s: described(z.nullable(z.int()), '95 % of the removals took at most this number of seconds.'),
        longest_s: described(z.nullable(z.int()), 'Every removal took at most this number of seconds.'),
      }),
    }),
    'Requests to remove intimate pictures. The times are steps of a scale, and null without removals.',
  ),
  identityChecks: z.array(z.object({ outcome: z.enum(['accepted', 'refused']), count })),
});

export const transparencyResponse = registerSuccess('TransparencyAnswer', { data: transparencyReport });
