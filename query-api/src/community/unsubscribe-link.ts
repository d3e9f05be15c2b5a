import { createOperationRouter } from '@alpenglow/infra';

/**
 * Redirects a browser from the one-click URL of a mail to the page that requests a confirmation. The operation changes
 * nothing, because mail scanners open links as well. The token is in the fragment, so that browsers do not send it to
 * the server.
 */
export function unsubscribeLinkRoutes() {
  const router = createOperationRouter();
  router.on('askWhetherToUnsubscribe', (req, res) => {
    res
      .status(303)
      .set({ 'Cache-Control': 'no-store', Location: `/community/unsubscribe#${encodeURIComponent(req.params.token)}` })
      .end();
  });
  return router;
}
