import { useHost, useLive } from '@alpenglow/ui';

/**
 * Shows the toast of each live message about an ad that the page lists. The page subscribes to these messages
 * where it displays the ads.
 */
export function useLiveToasts(isListed: (adId: string) => boolean): void {
  const { announceLive } = useHost();
  useLive(
    (message) => {
      if (isListed(message.adId)) announceLive?.(message);
    },
    { topics: [] },
  );
}
