import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { accountNames, count, nextCursor, described, timestamp, registerSuccess } from './common.ts';

/** One read of personal data by a staff member. */
const staffReadView = registerView('StaffReadView', {
  id: z.string(),
  at: timestamp,
  staffId: z.string(),
  what: described(z.string(), 'The operation that returned the data.'),
  subjectId: described(z.nullable(z.string()), 'Id of the subject. Null for a list of several subjects.'),
  people: described(count, 'Number of people whose data was in the response.'),
  mediaId: described(z.nullable(z.string()), 'Viewed photo or video.'),
  requestId: z.string(),
});

export const staffReadsResponse = registerSuccess('StaffReadsAnswer', {
  data: z.array(staffReadView),
  nextCursor,
  names: accountNames,
});
