import { previewFields, type PreviewAnswer } from '@alpenglow/domain';
import { jsonBody, parseInput, renderMarkdown } from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../../ad-input.ts';
import type { CommunityDependencies } from './requests.ts';

/** Markdown as it will be shown, for those who write. */
export function previewRoutes({ authentication }: Pick<CommunityDependencies, 'authentication'>): Router {
  const router = Router();

  router.post('/', jsonBody, async (req, res) => {
    await authentication.require(req);
    const { body } = parseInput(previewFields, bodyOf(req));
    res.json({ success: true, data: { html: renderMarkdown(body, 'post').html } } satisfies PreviewAnswer);
  });

  return router;
}
