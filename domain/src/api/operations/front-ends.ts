import { frontEndReportFields } from '../../front-ends/fields.ts';
import { emptyResponse, defineOperation, jsonBody, jsonResponse } from '../operation.ts';
import { frontEndStatisticsResponse } from '../schemas/front-ends.ts';

const REPORT_MAX_bytes = 8 * 1024;

/** Operations on views, errors and measured speeds of the front ends. */
export const frontEndOperations = [
  defineOperation('reportFrontEnds', 'POST', '/front-ends/reports', {
    tag: 'System',
    // The service that counts the views of ads also counts these reports. Neither is an event.
    service: 'query',
    rateLimits: ['front-end-reports'],
    summary: 'Report views, errors and speeds of front ends',
    description: 'Browsers send these reports. They contain no data about the visitor.',
    body: {
      ...jsonBody(frontEndReportFields, {
        views: [{ frontEnd: 'mf-listings', hash: '0123456789abcdef', state: 'failed' }],
        errors: [{ frontEnd: 'mf-listings', hash: '0123456789abcdef', kind: 'render' }],
        vitals: [{ frontEnd: 'mf-listings', hash: '0123456789abcdef', vital: 'lcp', value: 1_240 }],
      }),
      max_bytes: REPORT_MAX_bytes,
    },
    responses: { 204: emptyResponse('The report was counted.') },
  }),
  defineOperation('getFrontEndStatistics', 'GET', '/front-ends/statistics', {
    tag: 'System',
    summary: 'Get views, errors and speeds of the front ends',
    description: 'The sums of all reports by deployment, the latest reports first.',
    responses: { 200: jsonResponse(frontEndStatisticsResponse, 'The statistics.') },
  }),
];
