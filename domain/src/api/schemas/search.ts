import * as z from 'zod/mini';
import { adCard } from './ads.ts';
import { articleCard } from './blog.ts';
import { count, done, said } from './common.ts';
import { threadCard } from './community.ts';

const group = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.object({
    data: z.array(schema),
    total: said(z.nullable(count), 'How many there are; null where counting would take too long.'),
  });

/** One search over everything there is to read, by kind; the best of each. */
export const searchAnswer = z.object({
  success: done,
  data: z.object({ threads: group(threadCard), articles: group(articleCard), ads: group(adCard) }),
});
