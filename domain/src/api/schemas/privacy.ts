import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { accountNames, count, nextCursor, described, timestamp, registerSuccess } from './common.ts';

/** One read of personal data by a staff member. */
const staffReadView = registerView('StaffReadView', {
  id: z.string(),
  at: described(timestamp, 'The time of the first read.'),
  lastAt: described(
    timestamp,
    'The time of the last read. It is later than `at` if an open page has repeated the read.',
  ),
  reads: described(count, 'The number of reads.'),
  staffId: z.string(),
  what: described(z.string(), 'The operation that returned the data.'),
  subjectId: described(z.nullable(z.string()), 'Id of the subject. Null for a list of several subjects.'),
  people: described(count, 'Number of people whose data was in the response.'),
  mediaId: described(z.nullable(z.string()), 'Viewed photo or video.'),
  requestId: described(z.string(), 'The id of the first request.'),
});

export const staffReadsResponse = registerSuccess('StaffReadsAnswer', {
  data: z.array(staffReadView),
  nextCursor,
  names: accountNames,
});
