/** The storage of the shell. If the browser denies access to its storage, values are stored in memory. */
import { browserStorage, remembering } from '@alpenglow/ui';

export const pageStorage = remembering(browserStorage());
