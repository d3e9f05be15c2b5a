import * as z from 'zod/mini';
import { FRONT_END_ERRORS, VITALS } from '../../front-ends/measures.ts';
import { registerView } from '../component.ts';
import { count, described, registerSuccess } from './common.ts';

/** The errors and the measured speed of one deployment of a front end. */
const deploymentStatistics = registerView('DeploymentStatistics', {
  frontEnd: described(z.string(), '`shell`, or the name of a remote. Reports about too many names are `mf-other`.'),
  hash: described(z.string(), 'The content hash of the deployment. Empty if the browsers did not know it.'),
  lastDay: described(z.iso.date(), 'The day of the last report (UTC).'),
  errors: described(
    z.array(z.object({ kind: z.enum(FRONT_END_ERRORS), count })),
    'The number of reported errors by kind. Kinds without errors are missing.',
  ),
  views: described(
    z.object({ started: count, failed: count }),
    'The number of page loads that began to load the deployment, and of those in which it has caused an error.',
  ),
  vitals: described(
    z.array(
      z.object({
        vital: z.enum(VITALS),
        p75: described(z.number(), 'Three quarters of the page views were at least as fast. In ms, except for `cls`.'),
        count: described(count, 'The number of measured page views.'),
        ranges: described(
          z.array(count),
          'The number of measured page views by range of values. The ranges of each measure never change.',
        ),
      }),
    ),
    'The measured speed. Measures without values are missing.',
  ),
});

/** Response of `GET /front-ends/statistics`. */
export const frontEndStatisticsResponse = registerSuccess('FrontEndStatisticsAnswer', {
  data: z.object({
    days: described(count, 'The number of days that the statistics cover, today included.'),
    deployments: z.array(deploymentStatistics),
  }),
});
