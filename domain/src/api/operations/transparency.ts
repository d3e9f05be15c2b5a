import * as z from 'zod/mini';
import { json, operation, type Operation } from '../operation.ts';
import { transparencyAnswer } from '../schemas/transparency.ts';

const day = z.iso.date();

/** The transparency report. */
export const transparencyOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/admin/transparency',
    id: 'getTransparencyReport',
    tag: 'Moderation',
    access: 'moderator',
    summary: 'The transparency report of a period',
    description: 'Made of events alone: built anew, it gives the same figures.',
    query: {
      from: {
        schema: day,
        words: 'The first day, UTC; 29 days before the last one where nothing is said.',
        example: '2026-01-01',
      },
      to: { schema: day, words: 'The last day; today where nothing is said.', example: '2026-12-31' },
      format: { schema: z.enum(['json', 'csv']), words: 'As a file.', example: 'csv' },
    },
    headers: ['X-Wait-Position'],
    answers: { 200: { ...json(transparencyAnswer, 'The figures.'), contentTypes: ['application/json', 'text/csv'] } },
  }),
];
