import { messageOf, type Notice } from '@alpenglow/ui';
import { t } from '../text.ts';

/** Returns the notice about a favorite that could not be added or removed. */
export const toNotice = (error: unknown, wasAdding: boolean): Notice => ({
  text: messageOf(error, t(wasAdding ? 'api.addFavoriteFailed' : 'api.removeFavoriteFailed')),
  tone: 'danger',
});
