import { createOperationRouter } from '@alpenglow/infra';

/**
 * Redirects a browser from the unsubscribe link in a mail to a page that requests a confirmation. Opening the link
 * alone changes nothing, because mail scanners open links as well. The redirect puts the token in the URL fragment,
 * which browsers do not send to a server.
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
