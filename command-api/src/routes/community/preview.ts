import { createOperationRouter, getInput, renderMarkdown } from '@alpenglow/infra';
import type { CommunityDependencies } from './requests.ts';

/** The operation that previews a post. It converts the Markdown text of the post to HTML. */
export function previewRoutes({ authentication }: Pick<CommunityDependencies, 'authentication'>) {
  const router = createOperationRouter();

  router.on('previewPost', async (req, res) => {
    await authentication.require(req);
    const { body } = getInput(req);
    res.json({ success: true, data: { html: renderMarkdown(body, 'post').html } });
  });

  return router;
}
