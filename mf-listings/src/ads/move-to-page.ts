/** The name of the picture that both pages have in a view transition. */
const PICTURE_NAME = 'ad-picture';
/** Time limit for the new page to show its picture. Until then, the browser shows the list. */
const PAGE_LIMIT_ms = 300;

/**
 * Opens the page of an ad with a view transition. The transition moves the picture from the card to the picture on the
 * page. `open` must render the page before it returns.
 */
export function moveToPage(picture: HTMLElement, open: () => void): void {
  if (!('startViewTransition' in document)) return open();
  picture.style.viewTransitionName = PICTURE_NAME;
  const transition = document.startViewTransition(async () => {
    open();
    picture.style.viewTransitionName = '';
    const target = await findPicture(performance.now() + PAGE_LIMIT_ms);
    if (target) target.style.viewTransitionName = PICTURE_NAME;
  });
  // The name is removed, so that it does not take part in later transitions. A skipped transition is not an error.
  void transition.finished
    .catch(() => undefined)
    .then(() => {
      for (const image of document.querySelectorAll<HTMLElement>('[data-ad-picture] img'))
        image.style.viewTransitionName = '';
    });
}

/** Waits for the first picture of the ad's page. Returns null after the time limit. */
async function findPicture(until_ms: number): Promise<HTMLElement | null> {
  for (;;) {
    const picture = document.querySelector<HTMLElement>('[data-ad-picture] img');
    if (picture || performance.now() > until_ms) return picture;
    await new Promise((resolve) => setTimeout(resolve, 16));
  }
}
