import * as z from 'zod/mini';
import { registerFields, registerView, registerSharedObject } from '../component.ts';
import { APPEAL_OUTCOMES } from '../../moderation/fields.ts';
import { REMOVAL_OUTCOMES, REMOVAL_RELATIONS } from '../../removal/fields.ts';
import {
  booleanFlag,
  count,
  described,
  message,
  nextCursor,
  registerSuccess,
  subjectKind,
  timestamp,
} from './common.ts';

/** Schemas of responses about removal requests (section 18 of the product rules). */

const reference = described(z.string(), 'The reference of the request, for letters and calls.');
const relation = z.enum(REMOVAL_RELATIONS);
const status = described(
  z.enum(['open', 'appealed', 'withdrawn', 'rejected', 'valid', 'completed']),
  '`open` and `appealed` wait for a moderator. `valid` means that the content is being removed.',
);
const deadline = described(z.nullable(timestamp), 'End of the time for a decision. Null unless the request waits.');

/** Response of `POST /removal-requests`. */
export const removalRequestedResponse = registerSuccess('RemovalRequestedAnswer', {
  message,
  data: z.object({
    id: z.string(),
    reference,
    statusUrl: described(z.string(), 'The private page of the request. Whoever has the address can open it.'),
    deadline: timestamp,
    contents: described(count, 'Number of contents that the links and hashes name.'),
    hidden: described(count, 'Number of these contents that are hidden now.'),
  }),
});

const subject = z.object({ kind: subjectKind, id: z.string() });
const note = registerSharedObject('RemovalNote', { text: z.string(), at: timestamp });
const decision = z.object({ outcome: z.enum(REMOVAL_OUTCOMES), facts: z.string(), at: timestamp });
const appealDecision = z.object({ outcome: z.enum(APPEAL_OUTCOMES), facts: z.string(), at: timestamp });

const fields = registerFields('RemovalFields', {
  id: z.string(),
  reference,
  status,
  requestedAt: timestamp,
  deadline,
  relation,
});

/** The fields of one request that both the person who has asked and moderators see. */
const details = registerFields('RemovalDetails', {
  name: described(z.string(), 'Empty after the erasure of the personal data.'),
  links: z.array(z.string()),
  notes: z.array(note),
  decision: z.nullable(decision),
  appeal: z.nullable(note),
  appealDecision: z.nullable(appealDecision),
  isErased: described(booleanFlag, 'The personal data was erased.'),
});

/** A removal request, as the person who has asked sees it. */
export const removalView = registerView('RemovalView', {
  ...fields,
  ...details,
  hashCount: described(count, 'Number of hashes of pictures in the request.'),
  contents: described(
    z.array(z.object({ kind: subjectKind, isHidden: booleanFlag })),
    'The contents that the links and hashes have named. A hidden one cannot be seen by visitors.',
  ),
  appealableUntil: described(z.nullable(timestamp), 'End of the time for an appeal. Null if it is not possible.'),
  completed: described(
    z.nullable(
      z.object({
        at: timestamp,
        removed: described(count, 'Number of removed contents, with copies.'),
        copies: described(count, 'Number of copies that the request does not name.'),
        backupsUntil: described(timestamp, 'The time until which backups contain the content.'),
      }),
    ),
    'Null until everything is removed.',
  ),
  canAdd: described(booleanFlag, 'The person can add a text, or withdraw the request.'),
});
export const removalResponse = registerSuccess('RemovalAnswer', { data: removalView });

/** Response of the operations of the person who has asked. */
export const removalWriteResponse = registerSuccess('RemovalWriteAnswer', {
  message,
  data: z.object({ id: z.string() }),
});

/** A removal request in the list for moderators. */
export const removalCard = registerView('RemovalCard', {
  ...fields,
  contentCount: count,
  hidesAtOnce: described(booleanFlag, 'False if the content stays visible, because of too many requests of a network.'),
  warnedAfter_h: described(count, 'Hours after which staff were warned. 0 without a warning.'),
});
export const removalsResponse = registerSuccess('RemovalsAnswer', {
  data: z.array(removalCard),
  nextCursor,
});

/** A removal request with everything that a moderator needs to decide it. */
export const staffRemovalView = registerView('StaffRemovalView', {
  ...removalCard.shape,
  ...details,
  email: described(z.nullable(z.string()), 'Null for moderators who are not admins.'),
  signature: z.string(),
  hashes: z.array(z.string()),
  contents: z.array(
    z.object({
      subject,
      caseId: z.string(),
      title: z.nullable(z.string()),
      path: described(z.nullable(z.string()), 'The page on which staff see the content, also if it is hidden.'),
      picture: described(z.nullable(z.string()), 'URL of the picture, or of the first one of the content.'),
      isHidden: described(booleanFlag, 'Its case hides the content.'),
      response: described(z.nullable(note), 'The response of the poster.'),
    }),
  ),
  completed: z.nullable(z.object({ at: timestamp, removed: count, copies: count })),
  canDecide: described(booleanFlag, 'The requester can decide the request or the appeal.'),
});
export const staffRemovalResponse = registerSuccess('StaffRemovalAnswer', { data: staffRemovalView });
