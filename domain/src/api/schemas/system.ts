import * as z from 'zod/mini';
import { count, done, flag, said, time } from './common.ts';

/** Answer of `GET /health`; with 503, `success` is false and `status` is `unavailable`. */
export const healthAnswer = z.object({
  success: flag,
  status: z.enum(['ok', 'unavailable']),
  version: z.string(),
  time,
});

/** The last event's position, and how far each read model has come. */
export const syncAnswer = z.object({
  success: done,
  data: z.object({
    head: said(z.string(), 'Position of the last event.'),
    projections: z.array(
      z.object({
        name: z.string(),
        position: z.string(),
        lag: said(count, 'Events not handled yet; 1,000 stands for that many or more.'),
        state: z.enum(['live', 'catching up']),
      }),
    ),
  }),
});
