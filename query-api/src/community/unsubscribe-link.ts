import { Router } from 'express';

/**
 * Whoever opens the address that is meant for mail programs, because theirs knows no better, is sent on to the page that asks. Nothing ends here:
 * scanners open links as well. Behind `#` the token goes no further.
 */
export function unsubscribeLinkRoutes(): Router {
  const router = Router();
  router.get('/unsubscribe/:token', (req, res) => {
    res
      .status(303)
      .set({ 'Cache-Control': 'no-store', Location: `/community/unsubscribe#${encodeURIComponent(req.params.token)}` })
      .end();
  });
  return router;
}
