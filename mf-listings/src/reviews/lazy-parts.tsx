import { lazySection, Skeleton } from '@alpenglow/ui';

/** The form of a review. It is loaded when it is opened, because its rules are a large part of the code of an ad. */
export const ReviewForm = lazySection(
  () => import(/* webpackChunkName: "reviews" */ './review-form.tsx'),
  <Skeleton height="12rem" />,
);
/** The buttons of the author of a review, which no other visitor needs. */
export const OwnReviewActions = lazySection(
  () => import(/* webpackChunkName: "reviews" */ './own-review-actions.tsx'),
  null,
);
