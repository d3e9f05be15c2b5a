import * as z from 'zod/mini';
import { jsonResponse, defineOperation } from '../operation.ts';
import { transparencyResponse } from '../schemas/transparency.ts';

const day = z.optional(z.iso.date({ error: 'A day is written as 2026-12-31' }));

/** The operation that returns the transparency report, i.e. statistics about reports, decisions and appeals. */
export const transparencyOperations = [
  defineOperation('getTransparencyReport', 'GET', '/admin/transparency', {
    tag: 'Moderation',
    access: 'moderator',
    summary: 'Get the transparency report of a period',
    description: 'The figures are derived from events only. A rebuild gives the same figures.',
    queryParameters: {
      from: {
        schema: day,
        description: 'The first day, UTC. The default is 29 days before the last day.',
        example: '2026-01-01',
      },
      to: { schema: day, description: 'The last day. The default is today.', example: '2026-12-31' },
      format: {
        schema: z.optional(z.enum(['json', 'csv'], 'A report is exported as json or csv')),
        description: 'The format of the report. `csv` returns a file.',
        example: 'csv',
      },
    },
    headers: ['X-Wait-Position'],
    responses: {
      200: { ...jsonResponse(transparencyResponse, 'The figures.'), contentTypes: ['application/json', 'text/csv'] },
    },
  }),
];
