import * as z from 'zod/mini';
import { adCard } from './ads.ts';
import { articleCard } from './blog.ts';
import { count, described, registerSuccess } from './common.ts';
import { threadCard } from './community.ts';

const group = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.object({
    data: z.array(schema),
    total: described(z.nullable(count), 'Number of results. Null if counting would take too long.'),
  });

/** Response with the best results of each kind of content: threads, articles and ads. */
export const searchResponse = registerSuccess('SearchAnswer', {
  data: z.object({ threads: group(threadCard), articles: group(articleCard), ads: group(adCard) }),
});
