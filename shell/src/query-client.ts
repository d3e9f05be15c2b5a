import { createQueryClient } from '@alpenglow/ui';

/** The only query client of the page. The remotes get this client through a React context. */
export const queryClient = createQueryClient();
