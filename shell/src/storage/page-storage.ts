/** The browser storage that the shell uses. If the browser denies access to it, values are stored in memory. */
import { browserStorage, remembering } from '@alpenglow/ui';

export const pageStorage = remembering(browserStorage());
