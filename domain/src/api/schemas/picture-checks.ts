import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { count, described, registerSuccess, timestamp } from './common.ts';

/** The checks of published pictures. */
const PICTURE_CHECKS = ['hash-list', 'taken-down', 'taken-down-again', 'without-hash'] as const;

/** The progress of one check of published pictures. */
export const pictureCheckView = registerView('PictureCheckView', {
  name: described(
    z.enum(PICTURE_CHECKS),
    '`hash-list` compares published photos with the list of the operator, and `without-hash` those of earlier ' +
      'versions. The other ones search copies of what was taken down, at once and two minutes later.',
  ),
  isRunning: described(z.boolean(), 'False if nothing remains to be done.'),
  since: described(timestamp, 'When the check began, after its list has grown.'),
  endedAt: described(z.nullable(timestamp), 'When the check ended. Null before.'),
  total: described(count, 'Number of items: photos, or pictures and videos that were taken down.'),
  done: described(count, 'Number of items that were compared.'),
  failed: described(count, 'Number of items that failed and are repeated.'),
});

export const pictureChecksResponse = registerSuccess('PictureChecksAnswer', { data: z.array(pictureCheckView) });
